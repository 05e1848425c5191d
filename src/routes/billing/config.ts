import { z } from "zod";
import { creditPackages } from "#src/domain/billing/checkouts/index.ts";
import { tierFacts } from "#src/domain/metering/tiers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

const Package = z.object({ credits: z.int(), price_cents: z.int() });
const Tier = z.object({
  price_cents: z.int().describe("Per month"),
  max_projects: z.int().describe("999999 is no limit"),
  max_deploys: z.int(),
  bundled_credits: z.int().describe("Per month"),
  daily_credits: z.int().describe("Of a personal team; other teams have none"),
  byok_enabled: z.boolean().describe("Whether members may use their own model keys"),
  support_tier: z.enum(["community", "email", "priority"]),
});

export const billingConfig = endpoint({
  operationId: "getBillingConfig",
  method: "get",
  path: "/api/billing/config",
  summary: "Get prices",
  description: "What tiers, credits and deployments cost on this installation, in US cents.",
  tag: "Billing",
  access: "public",
  response: {
    status: 200,
    schema: z.object({
      stripe_publishable_key: z.string().nullable().describe("null when payments are not configured"),
      credit_packages: z.object({ small: Package, medium: Package, large: Package, team: Package }),
      deploy_price: z.int(),
      tiers: z.object({ free: Tier, basic: Tier, pro: Tier, ultra: Tier }),
      signup_bonus_credits: z.int(),
      signup_bonus_expiry_days: z.int(),
      low_balance_threshold: z.number(),
      daily_reset_timezone: z.literal("UTC"),
    }),
  },
  handler: ({ services: { config, modelSettings } }) => {
    const packages = creditPackages(config);
    const packageOf = (name: keyof typeof packages) => ({
      credits: packages[name],
      price_cents: packages[name],
    });
    const tiers = tierFacts(config, modelSettings);
    const tierOf = (name: keyof typeof tiers) => ({
      price_cents: tiers[name].priceCents,
      max_projects: tiers[name].maxProjects,
      max_deploys: tiers[name].maxDeploys,
      bundled_credits: tiers[name].bundledCredits,
      daily_credits: tiers[name].dailyCredits,
      byok_enabled: tiers[name].isByokEnabled,
      support_tier: tiers[name].support,
    });
    return Promise.resolve({
      stripe_publishable_key: config.STRIPE_PUBLISHABLE_KEY ?? null,
      credit_packages: {
        small: packageOf("small"),
        medium: packageOf("medium"),
        large: packageOf("large"),
        team: packageOf("team"),
      },
      deploy_price: config.ADDITIONAL_DEPLOY_PRICE,
      tiers: { free: tierOf("free"), basic: tierOf("basic"), pro: tierOf("pro"), ultra: tierOf("ultra") },
      signup_bonus_credits: config.SIGNUP_BONUS_CREDITS,
      signup_bonus_expiry_days: config.SIGNUP_BONUS_EXPIRY_DAYS,
      low_balance_threshold: config.CREDITS_LOW_BALANCE_THRESHOLD,
      daily_reset_timezone: "UTC" as const,
    });
  },
});
