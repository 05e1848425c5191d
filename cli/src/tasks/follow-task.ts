import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import type { TaskEvent } from "@agent-workspace/client";
import type { Context } from "../context.ts";
import { CommandError, stopped } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { onInterrupt } from "../input/interrupts.ts";
import type { Service } from "../service.ts";
import { Approvals } from "./approvals.ts";
import { LiveView } from "./live-view.ts";

/** Time for a second Ctrl-C, which stops the task. */
const SECOND_INTERRUPT_MS = 2_000;

export type Outcome = Extract<TaskEvent, { type: "done" }>;

interface FollowOptions {
  readonly taskId: string;
  /** Whether everything is shown, or only questions. */
  readonly isShown: boolean;
  readonly after?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** Whether Ctrl-C came before the task had an id. */
  readonly isInterrupted?: boolean;
}

/**
 * Follows a task to its end. Ctrl-C leaves it, and says how to come back; a second one stops it. Throws `CommandError` for
 * both, and when the time is over; the task goes on then.
 */
export async function followTask(
  context: Context,
  service: Service,
  { taskId, isShown, after, timeoutMs, isInterrupted = false }: FollowOptions,
): Promise<Outcome> {
  const control = new AbortController();
  const view = new LiveView(context.output);
  const interrupt = () => void leave();
  const approvals = new Approvals(context, service, view, {
    interrupt,
    leave: (error) => control.abort(error),
  });
  let interrupts = 0;

  async function leave(): Promise<void> {
    interrupts += 1;
    if (interrupts === 1) {
      view.note(`Left. The task goes on: \`workspace logs -f ${taskId}\` comes back. Ctrl-C again stops it.`);
      await pause(SECOND_INTERRUPT_MS);
      // A busy process sees that the time is over before it sees a signal that came in time.
      await turn();
      if (interrupts === 1) control.abort(stopped());
    } else if (interrupts === 2) {
      view.note("Stopping the task …");
      try {
        await service.workspace.tasks.get(taskId).cancel();
        control.abort(new CommandError(EXIT.stopped, "stopped", "The task was stopped"));
      } catch (error) {
        control.abort(error);
      }
    }
  }

  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => control.abort(timeIsOver(taskId)), timeoutMs);
  const release = onInterrupt(interrupt);
  if (isInterrupted) interrupt();
  try {
    let done: Outcome | undefined;
    const events = service.workspace.tasks.get(taskId).events({ after, signal: control.signal });
    for await (const event of events) {
      if (isShown && interrupts === 0) view.take(event);
      approvals.take(event);
      if (event.type === "done") done = event;
    }
    if (!done) throw new CommandError(EXIT.failed, "no_end", "The events ended before the task");
    return done;
  } finally {
    release();
    clearTimeout(timer);
    approvals.close();
    view.endLine();
  }
}

function timeIsOver(taskId: string): CommandError {
  return new CommandError(
    EXIT.timeout,
    "timeout",
    "The time is over; the task goes on",
    `\`workspace logs -f ${taskId}\` comes back to it, \`workspace cancel ${taskId}\` stops it.`,
  );
}

/** Throws for a task that did not complete. */
export function requireCompleted({ status, error }: Outcome): void {
  if (status === "completed") return;
  throw new CommandError(
    EXIT.failed,
    `task_${status}`,
    status === "cancelled" ? "The task was stopped" : (error ?? "The task failed"),
  );
}
