import { streamTask, type Task } from "#src/domain/tasks/index.ts";
import { heardIn, type Heard } from "./frames.ts";

type Deps = Parameters<typeof streamTask>[0];

/**
 * All a task's log says after an id, until the task is over. Whoever falls too far behind is let go by the log and comes back
 * here with the last id, so nothing is lost. Leaving the loop hangs up; the task goes on.
 *
 * `opened` is the first stream, so that what is wrong with it can still be answered with a status.
 */
export async function* followTask(
  deps: Deps,
  task: Pick<Task, "id" | "status">,
  after: number,
  opened: Response,
): AsyncGenerator<Heard, void, undefined> {
  let position = after;
  for (let { body } = opened; body; { body } = await streamTask(deps, task, position)) {
    const before = position;
    for await (const heard of heardIn(body)) {
      yield heard;
      if (heard.kind === "heartbeat") continue;
      const last = heard.events.at(-1);
      position = last?.id ?? position;
      if (last?.type === "done") return;
    }
    // A log that ends without a word has no more to say.
    if (position === before) return;
  }
}
