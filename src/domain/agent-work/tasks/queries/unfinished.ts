import { and, asc, eq, inArray, lt, not, sql } from "drizzle-orm";
import { externalApiKeys, tasks } from "#src/db/schema/index.ts";
import type { LostAccess } from "#src/domain/access/permissions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { hasAccess } from "./loss.ts";
import { hasTurn } from "./chat-order.ts";

/**
 * Tasks that have their chat's turn and have been queued for longer than a launch takes, oldest first. Each may have lost
 * its launch.
 */
export function staleQueuedTasks(db: Db, limit: number) {
  return db
    .select({ id: tasks.id, userId: tasks.userId })
    .from(tasks)
    .where(and(eq(tasks.status, "queued"), lt(tasks.createdAt, sql`now() - interval '30 seconds'`), hasTurn))
    .orderBy(asc(tasks.createdAt))
    .limit(limit);
}

/** Revoked keys whose tasks are still unfinished 30 seconds later. */
export function revokedKeysWithTasks(db: Db, limit: number) {
  return db
    .selectDistinct({ keyId: externalApiKeys.id })
    .from(tasks)
    .innerJoin(externalApiKeys, eq(externalApiKeys.id, tasks.apiKeyId))
    .where(
      and(
        inArray(tasks.status, ["queued", "running"]),
        lt(externalApiKeys.revokedAt, sql`now() - interval '30 seconds'`),
      ),
    )
    .limit(limit);
}

/** Unfinished tasks that must end. */
export function unfinishedTasksOf(db: Db, lost: LostAccess) {
  return db
    .select()
    .from(tasks)
    .where(and(isOf(lost), inArray(tasks.status, ["queued", "running"])));
}

function isOf(lost: LostAccess) {
  if ("keyId" in lost) return eq(tasks.apiKeyId, lost.keyId);
  const whose = "userId" in lost ? eq(tasks.userId, lost.userId) : eq(tasks.projectId, lost.projectId);
  return and(whose, not(hasAccess()));
}
