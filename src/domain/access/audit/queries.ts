import { and, count, desc, eq, gte, is, lte, sql, SQL } from "drizzle-orm";
import { auditLog, projects, users } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { newId } from "#src/lib/ids.ts";
import type { Client } from "#src/lib/client.ts";

/** A security-relevant action. Must contain no secret, because a team's administrators read it. */
export interface AuditEntry {
  /** The acting person; null once the account is deleted, which needs a `teamId`. */
  userId: string | null;
  /**
   * The team concerned. Absent for an action that concerns only the person, which goes to the log of the personal team.
   */
  teamId?: string;
  projectId?: string;
  /** `<thing>.<event>`, e.g. `session.started`. */
  action: string;
  resourceType: string;
  resourceId?: string;
  details?: Record<string, unknown>;
  client?: Client | undefined;
}

/** An entry whose action and details are determined by the batch itself. */
type EntryToBe = Omit<AuditEntry, "action" | "details"> & {
  action: string | SQL;
  details?: Record<string, unknown> | SQL;
};

/**
 * Writes an entry. Returns a query, so that it can be part of the batch of the action; `onlyIf` is for a batch whose
 * action may have no effect. Waits for a concurrent deletion of the team, and then writes nothing. A batch that locks
 * further rows takes the share lock on the team first (`locks.ts`).
 */
export function insertAuditEntry(db: Db, entry: AuditEntry | EntryToBe, onlyIf: SQL = sql`TRUE`) {
  const { userId, teamId = null, projectId = null, resourceId = null, details, client } = entry;
  return db.execute(sql`
    INSERT INTO audit_log
      (id, team_id, project_id, user_id, action, resource_type, resource_id, details, ip_address, user_agent)
    SELECT ${newId()}::uuid, t.id, ${projectId}::uuid, ${userId}::uuid, ${entry.action}::text,
      ${entry.resourceType}::text, ${resourceId}::text, ${is(details, SQL) ? details : details ? JSON.stringify(details) : null}::jsonb,
      ${client?.address ?? null}::text, ${client?.userAgent ?? null}::text
    FROM teams t
    WHERE ${onlyIf} AND CASE WHEN ${teamId}::uuid IS NULL THEN t.is_personal AND t.created_by = ${userId}::uuid
      ELSE t.id = ${teamId}::uuid END
    FOR KEY SHARE OF t
  `);
}

/**
 * Part of a WITH list: writes an entry for the row of `source`, if it has one: `team_id`, `user_id`, `action`,
 * `resource_type`, `resource_id` and `details`. For statements that decide themselves what happened. Writes nothing
 * without a team; a person who is gone is left out.
 */
export function insertAuditPart(source: SQL): SQL {
  return sql`audited AS (
      INSERT INTO audit_log (id, team_id, user_id, action, resource_type, resource_id, details)
      SELECT ${newId()}::uuid, t.id, (SELECT u.id FROM users u WHERE u.id = entry.user_id), entry.action,
        entry.resource_type, entry.resource_id, entry.details
      FROM (${source}) AS entry JOIN teams t ON t.id = entry.team_id
    )`;
}

/** Filters of a team's log. */
export interface AuditFilter {
  teamId: string;
  projectId?: string | undefined;
  userId?: string | undefined;
  action?: string | undefined;
  resourceType?: string | undefined;
  /** Both inclusive. */
  from?: Date | undefined;
  to?: Date | undefined;
}

/** A page of entries with the names of people and projects, newest first, and the total number. */
export async function pageOfAuditEntries(
  db: Db,
  filter: AuditFilter,
  { limit, offset }: { limit: number; offset: number },
) {
  const where = and(
    eq(auditLog.teamId, filter.teamId),
    filter.projectId === undefined ? undefined : eq(auditLog.projectId, filter.projectId),
    filter.userId === undefined ? undefined : eq(auditLog.userId, filter.userId),
    filter.action === undefined ? undefined : eq(auditLog.action, filter.action),
    filter.resourceType === undefined ? undefined : eq(auditLog.resourceType, filter.resourceType),
    filter.from && gte(auditLog.createdAt, filter.from),
    filter.to && lte(auditLog.createdAt, filter.to),
  );
  const [entries, [total]] = await db.batch([
    db
      .select({ entry: auditLog, projectName: projects.name, userName: users.name })
      .from(auditLog)
      .leftJoin(projects, eq(projects.id, auditLog.projectId))
      .leftJoin(users, eq(users.id, auditLog.userId))
      .where(where)
      .orderBy(desc(auditLog.id))
      .limit(limit)
      .offset(offset),
    db.select({ total: count() }).from(auditLog).where(where),
  ]);
  return { entries, total: total?.total ?? 0 };
}
