import { z } from "zod";
import { integer, withDefault } from "../fields.ts";

/** Sums of the pools must fit 32 bits. */
const MAX_CREDITS = 100_000_000;

/** Credits are US cents. */
export const creditVariables = {
  /** Bonus of a new account, which expires after so many days; 0 never expires. */
  SIGNUP_BONUS_CREDITS: integer(15_000, 0, MAX_CREDITS),
  SIGNUP_BONUS_EXPIRY_DAYS: integer(60, 0, 36_500),
  /** Per UTC day. */
  TIER_DAILY_CREDITS_FREE: integer(5, 0, MAX_CREDITS),
  /** Per 30 days. */
  TIER_BUNDLED_CREDITS_BASIC: integer(500, 0, MAX_CREDITS),
  TIER_BUNDLED_CREDITS_PRO: integer(2000, 0, MAX_CREDITS),
  TIER_BUNDLED_CREDITS_ULTRA: integer(8000, 0, MAX_CREDITS),
  /** Part of the bundled credits below which the team's balance counts as low. */
  CREDITS_LOW_BALANCE_THRESHOLD: withDefault(z.coerce.number("must be a number").min(0).max(1), 0.2),
};
