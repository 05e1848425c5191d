import { stepDue } from "#src/domain/agent-work/tasks/index.ts";
import { messageTo } from "#src/work/message.ts";
import { executorIn } from "../lib/executor.ts";
import type { BegunStep } from "./protocol.ts";
import type { RunState } from "./run-state.ts";
import type { TaskLogSettings } from "./settings.ts";

interface Given extends BegunStep {
  step: number;
  shareOf: string | undefined;
}

/** What it takes of the object. */
interface Here extends Pick<TaskLogSettings, "services"> {
  exports: object;
  run: RunState;
  /** In milliseconds since 1970. */
  now: () => number;
}

/**
 * Has the Worker execute a step that has begun. A step that it has no room for, or that fails, goes to the queue, which
 * repeats it as it repeats all others. Where even that fails, the watchdog's alarm is left. Never throws.
 */
export async function executeHere(
  { exports, run, services, now }: Here,
  { taskId, step, begun, shareOf }: Given,
): Promise<void> {
  const { generation } = begun;
  try {
    const outcome = await executorIn(exports)
      ?.executeStep({ taskId, begun })
      .catch((cause: unknown) => {
        services().log.warn("a step failed and goes to the queue", { task_id: taskId, cause });
        return "failed" as const;
      });
    if (outcome === "done" || run.control(generation).stale) return;
    if (outcome !== "failed") run.handBack(now());
    const delivery = { deduplicationId: `step-${taskId}-${step}-after-${generation}`, shareOf };
    await services().queue.publish(messageTo(stepDue, { taskId, step }, delivery));
  } catch (cause) {
    services().log.error("a step could not be published", { task_id: taskId, cause });
  }
}
