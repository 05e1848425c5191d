import { streamTask, type Task } from "#src/domain/agent-work/tasks/index.ts";
import { heardIn, type Heard } from "#src/lib/server-sent-events.ts";

type Deps = Parameters<typeof streamTask>[0];

/**
 * Yields a task's log after an id, until the task has ended. The log drops a reader that falls too far behind; this
 * function then reconnects with the last id, so that no event is lost. Leaving the loop disconnects. The task continues.
 *
 * `opened` is the first stream. The caller opens it so that its errors can still be returned as an HTTP status.
 */
export async function* followTask(
  deps: Deps,
  task: Pick<Task, "id" | "status">,
  after: number,
  opened: Response,
  reader?: string,
): AsyncGenerator<Heard, void, undefined> {
  let position = after;
  for (let { body } = opened; body; { body } = await streamTask(deps, task, position, reader)) {
    const before = position;
    for await (const heard of heardIn(body)) {
      yield heard;
      if (heard.kind === "heartbeat") continue;
      const last = heard.events.at(-1);
      position = last?.id ?? position;
      if (last?.type === "done") return;
    }
    // A stream that ends without an event is complete.
    if (position === before) return;
  }
}
