import { sql, type SQL } from "drizzle-orm";

/** How a team comes to an item, which decides what becomes of a row that it has already. */
export type Occasion =
  /** For free: a row that ended or expired counts again; one that counts stays as it is. */
  | "taken"
  /** Paid: replaces what the team has, also a row that ended. The caller sees to it that a payment counts once. */
  | "bought"
  /** A subscription goes on: moves its row to the new end. Neither revives a row that ended nor replaces a purchase. */
  | "renewed";

const counts = (row: string) =>
  sql.raw(`(${row}.ended_at IS NULL AND coalesce(${row}.expires_at, 'infinity') > now())`);

/**
 * Parts of a `WITH` list that add agents to libraries and count the downloads of new rows. `wishes` is a SELECT of
 * team_id, agent_id, user_id, purchase_type, checkout_id, subscription_id and expires_at, in this order, of which no two
 * rows name the same agent and team. The part `granted_agent` has a row (team_id, agent_id, is_new) for each that was
 * written.
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
 * As `grantAgent`, for templates. `wishes` is a SELECT of team_id, base_id, user_id, purchase_type and checkout_id; the
 * part is called `granted_base`.
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
 * Parts of a `WITH` list that end the rights which were paid by a checkout or by a subscription. `lost` is a SELECT of
 * checkout_id and subscription_id, in this order; null names none. The parts `ended_agent` and `ended_base` have a row for
 * each right that ended.
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
