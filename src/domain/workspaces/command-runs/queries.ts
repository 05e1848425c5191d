import { desc, eq, gt, and, sql } from "drizzle-orm";
import { commandRuns } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type CommandRun = typeof commandRuns.$inferSelect;

export async function insertRun(db: Db, run: typeof commandRuns.$inferInsert): Promise<void> {
  await db.insert(commandRuns).values(run);
}

/** Newest first. */
export function runsOfProject(db: Db, projectId: string, limit: number) {
  return db
    .select()
    .from(commandRuns)
    .where(eq(commandRuns.projectId, projectId))
    .orderBy(desc(commandRuns.createdAt), desc(commandRuns.id))
    .limit(limit);
}

/** Commands that a person ran in the last `days`, counted by risk and outcome. */
export function countRuns(db: Db, userId: string, days: number) {
  return db
    .select({
      riskLevel: commandRuns.riskLevel,
      runs: sql<number>`count(*)::int`,
      succeeded: sql<number>`(count(*) FILTER (WHERE ${commandRuns.success}))::int`,
      durationMs: sql<number>`coalesce(sum(${commandRuns.durationMs}), 0)::float8`,
    })
    .from(commandRuns)
    .where(
      and(
        eq(commandRuns.userId, userId),
        gt(commandRuns.createdAt, sql`now() - make_interval(days => ${days}::int)`),
      ),
    )
    .groupBy(commandRuns.riskLevel);
}
