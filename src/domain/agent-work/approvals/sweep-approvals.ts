import { goOn } from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { answeredTasks } from "./queries.ts";

/** Most tasks in one sweep; the next sweep takes the rest. */
const BATCH = 100;

/** Resumes tasks whose approval was answered by a request that died before it could resume them. */
export async function sweepApprovals(deps: {
  db: Db;
  taskLogs: TaskLogs;
  queue: Queue;
  log: Log;
}): Promise<void> {
  for (const task of await answeredTasks(deps.db, BATCH)) {
    await goOn(deps, task).catch((error: unknown) =>
      deps.log.warn("a task could not be resumed", { task_id: task.id, cause: error }),
    );
  }
}
