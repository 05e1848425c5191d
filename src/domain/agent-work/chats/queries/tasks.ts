import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import { chats, projects, tasks } from "#src/db/schema/index.ts";
import { roleInProject, type Viewer } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";

const UNFINISHED = ["queued", "running"] as const;

/** A task, its project, and a person's role there (null for none). */
export function taskWithProject(db: Db, id: string, viewer: Viewer) {
  return db
    .select({
      task: tasks,
      project: { id: projects.id },
      role: roleInProject(viewer),
    })
    .from(tasks)
    .innerJoin(projects, eq(projects.id, tasks.projectId))
    .where(eq(tasks.id, id));
}

/** A person's unfinished tasks in a project, or in one chat of it, oldest first. */
export function unfinishedTasks(
  db: Db,
  of: { userId: string; projectId?: string | undefined; chatId?: string | undefined },
) {
  return db
    .select({ task: tasks, title: chats.title })
    .from(tasks)
    .innerJoin(chats, eq(chats.id, tasks.chatId))
    .where(
      and(
        eq(tasks.userId, of.userId),
        inArray(tasks.status, [...UNFINISHED]),
        of.projectId === undefined ? undefined : eq(tasks.projectId, of.projectId),
        of.chatId === undefined ? undefined : eq(tasks.chatId, of.chatId),
      ),
    )
    .orderBy(asc(tasks.id));
}

/**
 * Agents in other chats of a project: whether one is at work now, and whether one has changed files since a task of this
 * chat first did. A run that changes files has a snapshot from before its first change.
 */
export async function workElsewhere(
  db: Db,
  of: { projectId: string; chatId: string; taskId: string | null },
): Promise<{ isBusy: boolean; hasChangedFiles: boolean }> {
  const result = await db.execute<{ isBusy: boolean; hasChangedFiles: boolean }>(sql`
    WITH mine AS (
      SELECT id, created_at FROM snapshots WHERE task_id = ${of.taskId}::uuid ORDER BY id LIMIT 1
    )
    SELECT EXISTS (
      SELECT 1 FROM tasks WHERE project_id = ${of.projectId}::uuid AND chat_id <> ${of.chatId}::uuid
        AND status IN ('queued', 'running')
    ) AS "isBusy", EXISTS (
      SELECT 1 FROM mine, snapshots s LEFT JOIN tasks t ON t.id = s.task_id
      WHERE s.project_id = ${of.projectId}::uuid AND s.task_id IS NOT NULL AND s.chat_id <> ${of.chatId}::uuid
        AND coalesce(t.completed_at, s.created_at) > mine.created_at
    ) AS "hasChangedFiles"
  `);
  return result.rows[0] ?? { isBusy: false, hasChangedFiles: false };
}

/** The newest task of a chat. */
export async function newestTask(db: Db, chatId: string) {
  const [task] = await db
    .select()
    .from(tasks)
    .where(eq(tasks.chatId, chatId))
    .orderBy(desc(tasks.seq))
    .limit(1);
  return task;
}
