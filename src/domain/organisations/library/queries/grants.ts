import { sql, type SQL } from "drizzle-orm";

/** How the team got the item. Decides whether the team's existing row is replaced. */
export type Occasion =
  /** For free. A row that ended or expired is replaced; a row that still counts stays. */
  | "taken"
  /** Paid. Every existing row is replaced. The caller makes sure that a payment counts once. */
  | "bought"
  /**
   * A subscription was renewed. Its row gets the new end, unless the row has ended. A one-time purchase that still counts
   * stays.
   */
  | "renewed";

const counts = (row: string) =>
  sql.raw(`(${row}.ended_at IS NULL AND coalesce(${row}.expires_at, 'infinity') > now())`);

/**
 * Returns parts of a `WITH` list. They add agents to the libraries of teams, and count a download for each new row. `wishes`
 * is a SELECT of team_id, agent_id, user_id, purchase_type, checkout_id, subscription_id and expires_at, in this order. No
 * two of its rows may name the same agent and team. The part `granted_agent` has a row (team_id, agent_id, is_new) for each
 * row that was written.
 */
export function grantAgent(wishes: SQL, occasion: Occasion): SQL {
  const conditions: Record<Occasion, SQL> = {
    taken: sql`NOT ${counts("had")}`,
    bought: sql`true`,
    renewed: sql`CASE WHEN had.subscription_id = excluded.subscription_id THEN had.ended_at IS NULL
      ELSE had.purchase_type <> 'one_time' OR NOT ${counts("had")} END`,
  };
  return sql`granted_agent AS (
    INSERT INTO library_agents AS had
      (team_id, agent_id, user_id, purchase_type, checkout_id, subscription_id, expires_at)
    SELECT wish.team_id, wish.agent_id, wish.user_id, wish.purchase_type, wish.checkout_id, wish.subscription_id,
      wish.expires_at
    FROM (${wishes}) AS wish (team_id, agent_id, user_id, purchase_type, checkout_id, subscription_id, expires_at)
    ON CONFLICT (team_id, agent_id) DO UPDATE SET user_id = excluded.user_id,
      purchase_type = excluded.purchase_type, checkout_id = excluded.checkout_id,
      subscription_id = excluded.subscription_id, expires_at = excluded.expires_at, ended_at = NULL,
      is_active = had.is_active OR NOT ${counts("had")} OR had.checkout_id IS DISTINCT FROM excluded.checkout_id
    WHERE ${conditions[occasion]}
    RETURNING had.team_id, had.agent_id, had.xmax = 0 AS is_new
  ), counted_agent AS (
    UPDATE agents SET downloads = downloads + 1 FROM granted_agent
    WHERE granted_agent.agent_id = agents.id AND granted_agent.is_new
    RETURNING agents.id
  )`;
}

/**
 * Does the same for templates. `wishes` is a SELECT of team_id, base_id, user_id, purchase_type and checkout_id, in this
 * order. The part with the written rows is `granted_base`.
 */
export function grantBase(wishes: SQL, occasion: Exclude<Occasion, "renewed">): SQL {
  return sql`granted_base AS (
    INSERT INTO library_bases AS had (team_id, base_id, user_id, purchase_type, checkout_id)
    SELECT wish.team_id, wish.base_id, wish.user_id, wish.purchase_type, wish.checkout_id
    FROM (${wishes}) AS wish (team_id, base_id, user_id, purchase_type, checkout_id)
    ON CONFLICT (team_id, base_id) DO UPDATE SET user_id = excluded.user_id,
      purchase_type = excluded.purchase_type, checkout_id = excluded.checkout_id, ended_at = NULL
    WHERE ${occasion === "bought" ? sql`true` : sql`had.ended_at IS NOT NULL`}
    RETURNING had.team_id, had.base_id, had.xmax = 0 AS is_new
  ), counted_base AS (
    UPDATE bases SET downloads = downloads + 1 FROM granted_base
    WHERE granted_base.base_id = bases.id AND granted_base.is_new
    RETURNING bases.id
  )`;
}

/**
 * Returns parts of a `WITH` list. They end the library rows that a checkout or a subscription paid for. `lost` is a SELECT of
 * checkout_id and subscription_id, in this order; a null matches nothing. The parts `ended_agent` and `ended_base` have a
 * row for each library row that ended.
 */
export function endGrant(lost: SQL): SQL {
  return sql`ended_agent AS (
    UPDATE library_agents AS had SET ended_at = now()
    FROM (${lost}) AS lost (checkout_id, subscription_id)
    WHERE had.ended_at IS NULL
      AND (had.checkout_id = lost.checkout_id OR had.subscription_id = lost.subscription_id)
    RETURNING had.team_id, had.agent_id
  ), ended_base AS (
    UPDATE library_bases AS had SET ended_at = now()
    FROM (${lost}) AS lost (checkout_id, subscription_id)
    WHERE had.ended_at IS NULL AND had.checkout_id = lost.checkout_id
    RETURNING had.team_id, had.base_id
  )`;
}
