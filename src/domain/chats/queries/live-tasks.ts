import { and, asc, eq, inArray, or } from "drizzle-orm";
import { tasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A task of a project as those who have the project open are shown it, whoever began it. */
export type LiveTask = Awaited<ReturnType<typeof liveTasks>>[number];

/** What runs in a project, and whichever of its tasks are named besides; what came first stands first. */
export function liveTasks(db: Db, projectId: string, named: readonly string[]) {
  return db
    .select({
      id: tasks.id,
      chatId: tasks.chatId,
      userId: tasks.userId,
      status: tasks.status,
      message: tasks.message,
      createdAt: tasks.createdAt,
    })
    .from(tasks)
    .where(
      and(
        eq(tasks.projectId, projectId),
        or(eq(tasks.status, "running"), named.length > 0 ? inArray(tasks.id, [...named]) : undefined),
      ),
    )
    .orderBy(asc(tasks.id));
}
