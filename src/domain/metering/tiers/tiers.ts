import type { teams } from "#src/db/schema/index.ts";
import type { ModelSettings } from "#src/models/settings.ts";

export type Tier = (typeof teams.$inferSelect)["subscriptionTier"];

type PaidTier = Exclude<Tier, "free">;

export type TierConfig = Readonly<
  Record<
    | `TIER_PRICE_${Uppercase<PaidTier>}`
    | `TIER_MAX_PROJECTS_${Uppercase<Tier>}`
    | `TIER_MAX_DEPLOYS_${Uppercase<Tier>}`
    | `TIER_BUNDLED_CREDITS_${Uppercase<PaidTier>}`
    | "TIER_DAILY_CREDITS_FREE",
    number
  >
>;

export type DeployConfig = Pick<TierConfig, `TIER_MAX_DEPLOYS_${Uppercase<Tier>}`>;

/** What a tier costs and gives. */
export interface TierFacts {
  /** Per month, as it is shown; what is paid is the price at the provider. */
  priceCents: number;
  /** 999999 is no limit. */
  maxProjects: number;
  maxDeploys: number;
  /** Credits per month. */
  bundledCredits: number;
  /** Credits per day. */
  dailyCredits: number;
  /** Whether members may use their own model keys. */
  isByokEnabled: boolean;
  support: "community" | "email" | "priority";
}

/** Most always-on projects by tier, without those that a team bought. */
export type DeploysByTier = Readonly<Record<Tier, number>>;

export function deploysByTier(config: DeployConfig): DeploysByTier {
  return {
    free: config.TIER_MAX_DEPLOYS_FREE,
    basic: config.TIER_MAX_DEPLOYS_BASIC,
    pro: config.TIER_MAX_DEPLOYS_PRO,
    ultra: config.TIER_MAX_DEPLOYS_ULTRA,
  };
}

export function tierFacts(
  config: TierConfig,
  { byokTiers }: Pick<ModelSettings, "byokTiers">,
): Readonly<Record<Tier, TierFacts>> {
  const isByokEnabled = (tier: Tier) => byokTiers.includes(tier);
  return {
    free: {
      priceCents: 0,
      maxProjects: config.TIER_MAX_PROJECTS_FREE,
      maxDeploys: config.TIER_MAX_DEPLOYS_FREE,
      bundledCredits: 0,
      dailyCredits: config.TIER_DAILY_CREDITS_FREE,
      isByokEnabled: isByokEnabled("free"),
      support: "community",
    },
    basic: {
      priceCents: config.TIER_PRICE_BASIC,
      maxProjects: config.TIER_MAX_PROJECTS_BASIC,
      maxDeploys: config.TIER_MAX_DEPLOYS_BASIC,
      bundledCredits: config.TIER_BUNDLED_CREDITS_BASIC,
      dailyCredits: 0,
      isByokEnabled: isByokEnabled("basic"),
      support: "email",
    },
    pro: {
      priceCents: config.TIER_PRICE_PRO,
      maxProjects: config.TIER_MAX_PROJECTS_PRO,
      maxDeploys: config.TIER_MAX_DEPLOYS_PRO,
      bundledCredits: config.TIER_BUNDLED_CREDITS_PRO,
      dailyCredits: 0,
      isByokEnabled: isByokEnabled("pro"),
      support: "priority",
    },
    ultra: {
      priceCents: config.TIER_PRICE_ULTRA,
      maxProjects: config.TIER_MAX_PROJECTS_ULTRA,
      maxDeploys: config.TIER_MAX_DEPLOYS_ULTRA,
      bundledCredits: config.TIER_BUNDLED_CREDITS_ULTRA,
      dailyCredits: 0,
      isByokEnabled: isByokEnabled("ultra"),
      support: "priority",
    },
  };
}
