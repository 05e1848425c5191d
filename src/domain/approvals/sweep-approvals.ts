import { goOn } from "#src/domain/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { answeredTasks } from "./queries.ts";

/** Tasks of one sweep; the next one takes the others. */
const BATCH = 100;

/** Let tasks go on whose question was answered by a request that died before it could say so. */
export async function sweepApprovals(deps: {
  db: Db;
  taskLogs: TaskLogs;
  queue: Queue;
  log: Log;
}): Promise<void> {
  for (const { taskId } of await answeredTasks(deps.db, BATCH)) {
    await goOn(deps, taskId).catch((error: unknown) =>
      deps.log.warn("a task could not go on", { task_id: taskId, cause: error }),
    );
  }
}
