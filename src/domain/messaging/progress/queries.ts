import { eq, sql } from "drizzle-orm";
import { tasks } from "#src/db/schema/index.ts";
import { placeOfSession, sessionOfTask } from "#src/domain/messaging/inbox/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/**
 * A task of a platform: whether it is at work, where its person waits, and whether that person may still be written to
 * there. Undefined for every other task.
 */
export async function workOf(db: Db, taskId: string) {
  const [found, states] = await db.batch([
    sessionOfTask(db, { taskId }),
    db
      .select({
        status: tasks.status,
        // The table is named, since a query over one table strips the columns of an expression of theirs.
        isAsking: sql<boolean>`EXISTS (SELECT 1 FROM approvals a
          WHERE a.task_id = tasks.id AND a.response IS NULL AND a.expires_at > now())`,
      })
      .from(tasks)
      .where(eq(tasks.id, taskId)),
  ]);
  const [at] = found;
  const [state] = states;
  if (!at || !state) return undefined;
  const { channel, isLive, isAllowed, session, messageId } = at;
  return { ...state, channel, isLive, isAllowed, messageId, place: placeOfSession(session) };
}
