import { sql, type SQL } from "drizzle-orm";
import type { DeploysByTier } from "#src/domain/metering/tiers/index.ts";

/** SQL value: the always-on projects that the team of the row `team` may have. */
export const placesOfTeam = (most: DeploysByTier): SQL<number> => sql<number>`(
  team.deploy_slots + CASE team.subscription_tier WHEN 'free' THEN ${most.free}::int
    WHEN 'basic' THEN ${most.basic}::int WHEN 'pro' THEN ${most.pro}::int ELSE ${most.ultra}::int END)`;

/**
 * SQL condition: whether the project of the row `projects` is kept awake. A mark counts only while its team has a place for
 * it, the oldest marks first, and while the team has a member whose account is active. It stays for when that is so again.
 */
export const isKeptAwake = (most: DeploysByTier): SQL<boolean> => sql<boolean>`(
  projects.deployed_at IS NOT NULL AND EXISTS (
    SELECT 1 FROM teams AS team WHERE team.id = projects.team_id AND ${placesOfTeam(most)} > (
      SELECT count(*) FROM projects AS older
      WHERE older.team_id = team.id AND (older.deployed_at, older.id) < (projects.deployed_at, projects.id))
  ) AND EXISTS (
    SELECT 1 FROM team_memberships AS part JOIN users AS person ON person.id = part.user_id
    WHERE part.team_id = projects.team_id AND person.is_active))`;
