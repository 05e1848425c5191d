import type { ProjectsByTier } from "./queries.ts";

interface TierConfig {
  TIER_MAX_PROJECTS_FREE: number;
  TIER_MAX_PROJECTS_BASIC: number;
  TIER_MAX_PROJECTS_PRO: number;
  TIER_MAX_PROJECTS_ULTRA: number;
}

/** From this number on, there is no limit. */
const NO_LIMIT = 999_999;

/** Most projects of a team by its tier; undefined where no tier has a limit, so that nothing needs to be counted. */
export function projectsByTier(config: TierConfig): ProjectsByTier | undefined {
  const most = {
    free: config.TIER_MAX_PROJECTS_FREE,
    basic: config.TIER_MAX_PROJECTS_BASIC,
    pro: config.TIER_MAX_PROJECTS_PRO,
    ultra: config.TIER_MAX_PROJECTS_ULTRA,
  };
  return Object.values(most).every((each) => each >= NO_LIMIT) ? undefined : most;
}
