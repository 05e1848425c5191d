import { z } from "zod";
import { integer, withDefault } from "../fields.ts";

/** Pools are added up as 32-bit numbers. */
const MAX_CREDITS = 100_000_000;

/** Credits are US cents. */
export const creditVariables = {
  /** Credits are US cents. With an account comes a bonus, which ends after so many days; 0 is no end. */
  SIGNUP_BONUS_CREDITS: integer(15_000, 0, MAX_CREDITS),
  SIGNUP_BONUS_EXPIRY_DAYS: integer(60, 0, 36_500),
  /** Of each UTC day. */
  TIER_DAILY_CREDITS_FREE: integer(5, 0, MAX_CREDITS),
  /** Of each 30 days. */
  TIER_BUNDLED_CREDITS_BASIC: integer(500, 0, MAX_CREDITS),
  TIER_BUNDLED_CREDITS_PRO: integer(2000, 0, MAX_CREDITS),
  TIER_BUNDLED_CREDITS_ULTRA: integer(8000, 0, MAX_CREDITS),
  /** Part of the bundled credits below which a team is told that it has few. */
  CREDITS_LOW_BALANCE_THRESHOLD: withDefault(z.coerce.number("must be a number").min(0).max(1), 0.2),
};
