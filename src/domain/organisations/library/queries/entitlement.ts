import { sql, type SQL } from "drizzle-orm";

/**
 * SQL condition: a team may use the agent of the row `agents`. It is the team's own, a free one of the service, or in the
 * team's library, switched on, and neither ended nor expired. Whether the agent still exists is not asked. The library is an
 * array, so that an index finds a team's agents among all others.
 */
export function isEntitled(teamId: SQL): SQL<boolean> {
  return sql<boolean>`(agents.team_id = ${teamId} OR (agents.team_id IS NULL AND agents.pricing_type = 'free')
    OR agents.id = ANY (ARRAY(
      SELECT taken.agent_id FROM library_agents AS taken WHERE taken.team_id = ${teamId}
        AND taken.is_active AND taken.ended_at IS NULL AND coalesce(taken.expires_at, 'infinity') > now()
    )))`;
}

/**
 * SQL condition: the prompt of the agent of the row `agents` is a secret from a person who works in a team's project. That
 * of a closed agent is its own team's alone. An administrator of the installation, who is in no team of the project, is
 * shown no team's agents either.
 */
export function isPromptSecret({ teamId, userId }: { teamId: SQL; userId: SQL }): SQL<boolean> {
  return sql<boolean>`(
    (agents.source_type = 'closed' OR coalesce(agents.team_id = ${teamId}, false)) AND NOT EXISTS (
      SELECT 1 FROM team_memberships AS of_maker
      WHERE of_maker.team_id = agents.team_id AND of_maker.user_id = ${userId}
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
