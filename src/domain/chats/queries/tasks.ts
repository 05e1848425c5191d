import { and, asc, desc, eq, inArray, ne } from "drizzle-orm";
import { chats, projects, tasks } from "#src/db/schema/index.ts";
import { roleInProject, type Somebody } from "#src/domain/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";

const UNFINISHED = ["queued", "running"] as const;

/** A task, its project, and what somebody is there (null for a stranger). */
export function taskWithProject(db: Db, id: string, somebody: Somebody) {
  return db
    .select({
      task: tasks,
      project: { id: projects.id, teamId: projects.teamId },
      role: roleInProject(somebody),
    })
    .from(tasks)
    .innerJoin(projects, eq(projects.id, tasks.projectId))
    .where(eq(tasks.id, id));
}

/** What somebody has under way in a project, or in one chat of it: what came first stands first. */
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

/** Whether anybody has something under way in a project, outside of one chat. */
export async function isBusyElsewhere(db: Db, projectId: string, chatId: string): Promise<boolean> {
  const busy = await db
    .select({ id: tasks.id })
    .from(tasks)
    .where(
      and(eq(tasks.projectId, projectId), ne(tasks.chatId, chatId), inArray(tasks.status, [...UNFINISHED])),
    )
    .limit(1);
  return busy.length > 0;
}

/** The newest task of a chat. */
export async function newestTask(db: Db, chatId: string) {
  const [task] = await db
    .select()
    .from(tasks)
    .where(eq(tasks.chatId, chatId))
    .orderBy(desc(tasks.id))
    .limit(1);
  return task;
}
