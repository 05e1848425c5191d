import {
  findWaiting,
  taskEvents,
  type RefusedQuestion,
  type Waiting,
} from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Heard } from "#src/lib/server-sent-events.ts";

/** A waiting message, as its reader sees it. */
export interface WaitingMessage {
  taskId: string;
  waiting: Waiting;
  refused?: RefusedQuestion | undefined;
}

/**
 * Yields a task's log. Before its first event it yields notices of what the message waits for: one at once, and one for
 * each later approval that blocks it, checked at every heartbeat. Notices are not logged and have the id 0.
 */
export async function* withNotices(
  db: Db,
  { taskId, waiting, refused }: WaitingMessage,
  log: AsyncIterable<Heard>,
): AsyncGenerator<Heard, void, undefined> {
  const notice = (what: Waiting, no?: RefusedQuestion): Heard => ({
    kind: "events",
    events: [{ id: 0, ...taskEvents.waiting(taskId, what, no) }],
  });
  yield notice(waiting, refused);
  let told = waiting.approvalId;
  let isWaiting = true;
  for await (const heard of log) {
    if (heard.kind === "events") isWaiting = false;
    yield heard;
    if (!isWaiting) continue;
    const now = await findWaiting(db, taskId);
    if (!now?.approvalId || now.approvalId === told || now.taskId === taskId) continue;
    told = now.approvalId;
    yield notice(now);
  }
}
