import { z } from "zod";
import { CEILINGS } from "#src/domain/operations/limits/ceilings.ts";
import { flag, httpUrl, integer, optional, text, withDefault } from "../fields.ts";

/** Amounts and credits must fit 32 bits. */
const MAX_CENTS = 100_000_000;

const cents = (fallback: number, min = 0) => integer(fallback, min, MAX_CENTS);
const share = (fallback: number) => withDefault(z.coerce.number("must be a number").min(0).max(1), fallback);

/** Payments, by Stripe. Amounts are US cents. */
export const billingVariables = {
  /** Without it, payments are not configured: their routes return 503. */
  STRIPE_SECRET_KEY: text(),
  /** Of the webhook's endpoint; two, separated by a comma, while one is replaced. */
  STRIPE_WEBHOOK_SECRET: optional(
    z
      .string()
      .transform((list) => list.split(",").map((each) => each.trim()))
      .refine(
        (list) => list.length <= 2 && !list.includes(""),
        "must be one secret, or two separated by a comma",
      ),
  ),
  STRIPE_PUBLISHABLE_KEY: text(),
  /** Prices at Stripe of the tiers, per month and per year. A tier without one is not sold at that interval. */
  STRIPE_BASIC_PRICE_ID: text(),
  STRIPE_PRO_PRICE_ID: text(),
  STRIPE_ULTRA_PRICE_ID: text(),
  STRIPE_BASIC_ANNUAL_PRICE_ID: text(),
  STRIPE_PRO_ANNUAL_PRICE_ID: text(),
  STRIPE_ULTRA_ANNUAL_PRICE_ID: text(),
  STRIPE_API_BASE_URL: withDefault(
    httpUrl.refine((url) => URL.parse(url)?.pathname === "/", "must be an origin, without a path"),
    "https://api.stripe.com",
  ),
  STRIPE_TIMEOUT_SECONDS: integer(10, 1, 60),
  /** Whether `npm start` runs a stand-in for Stripe. */
  STRIPE_STANDIN: flag(false),
  /** Days that a team keeps its tier while a payment is overdue. */
  BILLING_GRACE_DAYS: integer(7, 0, 365),
  /** Prices of the tiers per month, as they are shown; what is paid is the price at Stripe. */
  TIER_PRICE_BASIC: cents(2_000),
  TIER_PRICE_PRO: cents(4_900),
  TIER_PRICE_ULTRA: cents(14_900),
  /** Projects of a team, by tier; 999999 is no limit. */
  TIER_MAX_PROJECTS_FREE: integer(CEILINGS.projects.most, 0),
  TIER_MAX_PROJECTS_BASIC: integer(CEILINGS.projects.most, 0),
  TIER_MAX_PROJECTS_PRO: integer(CEILINGS.projects.most, 0),
  TIER_MAX_PROJECTS_ULTRA: integer(CEILINGS.projects.most, 0),
  /** Deployments of a team, by tier. */
  TIER_MAX_DEPLOYS_FREE: integer(1, 0),
  TIER_MAX_DEPLOYS_BASIC: integer(3, 0),
  TIER_MAX_DEPLOYS_PRO: integer(5, 0),
  TIER_MAX_DEPLOYS_ULTRA: integer(20, 0),
  /** Credits of the packages, and their prices in cents. */
  CREDIT_PACKAGE_SMALL: cents(500, 50),
  CREDIT_PACKAGE_MEDIUM: cents(2_500, 50),
  CREDIT_PACKAGE_LARGE: cents(10_000, 50),
  CREDIT_PACKAGE_TEAM: cents(50_000, 50),
  /** Price of one deployment beyond the tier's. */
  ADDITIONAL_DEPLOY_PRICE: cents(1_000, 50),
  /** Parts of a sale that its creator and the service get; together at most 1. */
  CREATOR_REVENUE_SHARE: share(0.9),
  PLATFORM_REVENUE_SHARE: share(0.1),
};
