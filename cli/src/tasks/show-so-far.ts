import { setTimeout as pause } from "node:timers/promises";
import type { Context } from "../context.ts";
import type { Service } from "../service.ts";
import { LiveView } from "./live-view.ts";

/** The service sends at once what it has: after this long without an event the rest is still to come. */
const SILENCE_MS = 1_000;

/** Shows the events of a task that are there, and does not wait for those that come. A task that is over is shown to its end. */
export async function showTaskSoFar(
  context: Context,
  { workspace }: Service,
  { taskId, after }: { taskId: string; after: number | undefined },
): Promise<void> {
  const control = new AbortController();
  const view = new LiveView(context.output);
  const task = workspace.tasks.get(taskId);
  const isOver = !["queued", "running"].includes((await task.status()).status);
  const events = task.events({ after, signal: control.signal });
  try {
    for (let isFirst = true; ; isFirst = false) {
      const next = events.next();
      const found = await (isFirst || isOver
        ? next
        : Promise.race([next, pause(SILENCE_MS, undefined, { ref: false })]));
      if (!found) {
        next.catch(() => {});
        view.note(`The task goes on: \`workspace logs -f ${taskId}\` follows it.`);
        return;
      }
      if (found.done) return;
      view.take(found.value);
    }
  } finally {
    view.endLine();
    control.abort();
  }
}
