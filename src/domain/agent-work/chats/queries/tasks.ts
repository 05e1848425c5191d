import { and, asc, desc, eq, inArray, ne, sql } from "drizzle-orm";
import { chats, projects, tasks } from "#src/db/schema/index.ts";
import { isSharedWithTask } from "#src/domain/agent-work/tasks/index.ts";
import { type Person } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { roleBesides } from "./role-besides.ts";

const UNFINISHED = ["queued", "running"] as const;

/**
 * A task, its chat and project, and a person's role there (null for none). Superusers see the tasks of others as members of the
 * project do.
 */
export function taskWithProject(db: Db, id: string, viewer: Person) {
  return db
    .select({
      task: tasks,
      project: { id: projects.id },
      chat: { userId: chats.userId, isShared: isSharedWithTask(sql`chats`) },
      role: roleBesides(sql`tasks.user_id`, viewer),
    })
    .from(tasks)
    .innerJoin(chats, eq(chats.id, tasks.chatId))
    .innerJoin(projects, eq(projects.id, tasks.projectId))
    .where(eq(tasks.id, id));
}

/** Unfinished tasks of a chat, or a person's in a project, oldest first. With `notOf`, those of all but that person. */
export function unfinishedTasks(
  db: Db,
  of: { chatId: string; notOf?: string | undefined } | { projectId: string; userId: string },
) {
  const which =
    "chatId" in of
      ? and(eq(tasks.chatId, of.chatId), of.notOf === undefined ? undefined : ne(tasks.userId, of.notOf))
      : and(eq(tasks.userId, of.userId), eq(tasks.projectId, of.projectId));
  return db
    .select({ task: tasks, title: chats.title })
    .from(tasks)
    .innerJoin(chats, eq(chats.id, tasks.chatId))
    .where(and(which, inArray(tasks.status, [...UNFINISHED])))
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
