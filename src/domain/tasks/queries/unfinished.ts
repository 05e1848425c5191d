import { and, asc, eq, inArray, lt, sql } from "drizzle-orm";
import { externalApiKeys, tasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Tasks that are queued for longer than a launch takes: each may have lost its launch. Oldest first. */
export function staleQueuedTasks(db: Db, limit: number) {
  return db
    .select()
    .from(tasks)
    .where(and(eq(tasks.status, "queued"), lt(tasks.createdAt, sql`now() - interval '30 seconds'`)))
    .orderBy(asc(tasks.createdAt))
    .limit(limit);
}

/** Revoked keys of which tasks go on, although there was time enough to end them. */
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

export function unfinishedTasksOfKey(db: Db, apiKeyId: string) {
  return db
    .select()
    .from(tasks)
    .where(and(eq(tasks.apiKeyId, apiKeyId), inArray(tasks.status, ["queued", "running"])));
}
