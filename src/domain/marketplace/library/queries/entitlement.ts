import { sql, type SQL } from "drizzle-orm";

/**
 * SQL condition: a team may use the agent of the row `agents`. It is the team's own, a free one of the service, or in the
 * team's library, switched on, and neither ended nor expired. Whether the agent still exists is not asked.
 */
export function isEntitled(teamId: SQL): SQL<boolean> {
  return sql<boolean>`(agents.team_id = ${teamId} OR (agents.team_id IS NULL AND agents.pricing_type = 'free')
    OR EXISTS (
      SELECT 1 FROM library_agents AS taken WHERE taken.team_id = ${teamId} AND taken.agent_id = agents.id
        AND taken.is_active AND taken.ended_at IS NULL AND coalesce(taken.expires_at, 'infinity') > now()
    ))`;
}

/**
 * SQL condition: a person may begin a team's project with the template of the row `bases`. It is the person's own, a free
 * public one, or in the team's library and not ended.
 */
export function isEntitledToBase({ teamId, userId }: { teamId: string; userId: string }): SQL<boolean> {
  return sql<boolean>`(bases.created_by = ${userId}::uuid OR (bases.visibility = 'public' AND bases.pricing_type = 'free')
    OR EXISTS (
      SELECT 1 FROM library_bases AS taken
      WHERE taken.team_id = ${teamId}::uuid AND taken.base_id = bases.id AND taken.ended_at IS NULL
    ))`;
}
