import { and, asc, eq } from "drizzle-orm";
import { auditLog } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Entries of the audit log by a person, of a team, or about a thing: oldest first. */
export function auditEntries(db: Db, of: Partial<Record<"userId" | "teamId" | "resourceId", string>>) {
  const { userId, teamId, resourceId } = of;
  return db
    .select()
    .from(auditLog)
    .where(
      and(
        userId === undefined ? undefined : eq(auditLog.userId, userId),
        teamId === undefined ? undefined : eq(auditLog.teamId, teamId),
        resourceId === undefined ? undefined : eq(auditLog.resourceId, resourceId),
      ),
    )
    .orderBy(asc(auditLog.id));
}
