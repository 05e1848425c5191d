import { sql, type SQL } from "drizzle-orm";
import { lockNames, shareTeam } from "#src/db/locks.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { grantAgent, grantBase } from "./grants.ts";
import { paidFor, type ItemKind } from "./items.ts";

interface Taking {
  kind: ItemKind;
  id: string;
  teamId: string;
  userId: string;
}

/**
 * Adds a free item to a team's library, with its audit entry. False when the team has it already, or when it is no longer
 * listed for free.
 */
export async function takeItem(db: Db, taking: Taking, entry: AuditEntry): Promise<boolean> {
  const { kind, id, teamId, userId } = taking;
  const listed =
    kind === "agent"
      ? sql`SELECT ${teamId}::uuid, agents.id, ${userId}::uuid, 'free', NULL::uuid, NULL::text, NULL::timestamptz
          FROM agents WHERE agents.id = ${id}::uuid AND agents.is_active AND agents.is_published
            AND agents.pricing_type = 'free'`
      : sql`SELECT ${teamId}::uuid, bases.id, ${userId}::uuid, 'free', NULL::uuid FROM bases
          WHERE bases.id = ${id}::uuid AND bases.visibility = 'public' AND bases.pricing_type = 'free'`;
  const isNews = sql`EXISTS (${listed}) AND NOT ${holds(taking)}`;
  const [, , , { rows }] = await db.batch([
    lockNames(db, [`library:${teamId}`]),
    shareTeam(db, teamId),
    insertAuditEntry(db, entry, isNews),
    db.execute(
      kind === "agent"
        ? sql`WITH ${grantAgent(listed, "taken")} SELECT agent_id FROM granted_agent`
        : sql`WITH ${grantBase(listed, "taken")} SELECT base_id FROM granted_base`,
    ),
  ]);
  return rows.length > 0;
}

/** Whether the library has a row that counts, switched on or off. */
function holds({ kind, id, teamId }: Taking): SQL {
  return kind === "agent"
    ? sql`EXISTS (SELECT 1 FROM library_agents WHERE team_id = ${teamId}::uuid AND agent_id = ${id}::uuid
        AND ended_at IS NULL AND coalesce(expires_at, 'infinity') > now())`
    : sql`EXISTS (SELECT 1 FROM library_bases WHERE team_id = ${teamId}::uuid AND base_id = ${id}::uuid
        AND ended_at IS NULL)`;
}

/**
 * Gives a team back what it paid for and removed. False when it did not pay, or when the payment went back. The entry is
 * written before it is known, so it comes in the batch with the same condition.
 */
export async function takeBack(db: Db, { kind, id, teamId }: Taking, entry: AuditEntry): Promise<boolean> {
  const which =
    kind === "agent"
      ? sql`library_agents had WHERE had.team_id = ${teamId}::uuid AND had.agent_id = ${id}::uuid`
      : sql`library_bases had WHERE had.team_id = ${teamId}::uuid AND had.base_id = ${id}::uuid`;
  const [, , { rows }] = await db.batch([
    lockNames(db, [`library:${teamId}`]),
    insertAuditEntry(
      db,
      entry,
      sql`EXISTS (SELECT 1 FROM ${which} AND had.ended_at IS NOT NULL AND ${paidFor("had")})`,
    ),
    db.execute(sql`
      UPDATE ${kind === "agent" ? sql`library_agents` : sql`library_bases`} AS target
      SET ended_at = NULL ${kind === "agent" ? sql`, is_active = true` : sql``}
      FROM ${which} AND had.ended_at IS NOT NULL AND ${paidFor("had")} AND target.team_id = had.team_id
        AND ${kind === "agent" ? sql`target.agent_id = had.agent_id` : sql`target.base_id = had.base_id`}
      RETURNING target.team_id
    `),
  ]);
  return rows.length > 0;
}
