import { sql, type SQL } from "drizzle-orm";

/**
 * SQL condition: teams paid for the agent with this id and may still use it, pay for it every month, or have a page open on
 * which they can. Such an agent is not deleted.
 */
export function isAgentSold(id: SQL): SQL<boolean> {
  return sql<boolean>`(EXISTS (
      SELECT 1 FROM library_agents AS held WHERE held.agent_id = ${id} AND held.purchase_type <> 'free'
        AND held.ended_at IS NULL AND coalesce(held.expires_at, 'infinity') > now()
    ) OR EXISTS (
      SELECT 1 FROM subscriptions AS paying WHERE paying.agent_id = ${id}
        AND paying.status NOT IN ('canceled', 'incomplete_expired')
    ) OR ${isWished("agent_purchase", id)})`;
}

/** SQL condition: as `isAgentSold`, for the template with this id. */
export function isBaseSold(id: SQL): SQL<boolean> {
  return sql<boolean>`(EXISTS (
      SELECT 1 FROM library_bases AS held WHERE held.base_id = ${id} AND held.purchase_type <> 'free'
        AND held.ended_at IS NULL
    ) OR ${isWished("base_purchase", id)})`;
}

function isWished(type: string, id: SQL): SQL {
  return sql`EXISTS (
    SELECT 1 FROM checkouts AS wish WHERE wish.type = ${type}::text AND wish.item = ${id}::text
      AND wish.status IN ('open', 'pending')
  )`;
}

/** SQL condition: an agent of the team with this id is sold. */
export function hasSold(teamId: SQL): SQL<boolean> {
  return sql<boolean>`EXISTS (
    SELECT 1 FROM agents AS sold WHERE sold.team_id = ${teamId} AND ${isAgentSold(sql`sold.id`)}
  )`;
}

/**
 * Part of a WITH list that deletes teams: agents with which tasks of other teams worked stay for these, as deleted agents
 * without a team. `which` is a condition on `agents`.
 */
export function keepWorkedAgents(which: SQL): SQL {
  return sql`kept_agents AS (
    UPDATE agents SET team_id = NULL, is_active = false, is_published = false
    WHERE ${which} AND EXISTS (
      SELECT 1 FROM tasks JOIN projects ON projects.id = tasks.project_id
      WHERE tasks.agent_id = agents.id AND projects.team_id <> agents.team_id
    )
  )`;
}
