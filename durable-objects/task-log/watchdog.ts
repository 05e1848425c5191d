import { launchLost, stepDue, taskEnded } from "#src/domain/agent-work/tasks/index.ts";
import { messageTo } from "#src/work/message.ts";
import type { RunState } from "./run-state.ts";
import type { TaskLogSettings } from "./settings.ts";

/** Longest time between two checks of a task that has readers and waits, for its chat or for a queue that is down. */
const MAX_PAUSE_MS = 60_000;

/**
 * Handles an alarm of a task: launches it again if it never began, has it go on when it need not wait any longer, redelivers a step
 * whose executor went silent, publishes the end's consequences again, and says when the log may be deleted.
 */
export class Watchdog {
  readonly #run: RunState;
  readonly #storage: DurableObjectStorage;
  readonly #settings: TaskLogSettings;
  readonly #goOn: () => Promise<void>;

  /** `goOn` has the next step of a parked task executed. */
  constructor(
    run: RunState,
    storage: DurableObjectStorage,
    settings: TaskLogSettings,
    goOn: () => Promise<void>,
  ) {
    this.#run = run;
    this.#storage = storage;
    this.#settings = settings;
    this.#goOn = goOn;
  }

  async look(now: number): Promise<"watch" | "forget"> {
    const { stallMs, retentionMs, services } = this.#settings;
    const condition = this.#run.condition(now, stallMs);
    // The next alarm comes first: an alarm that throws is retried a few times and then dropped for good.
    const next = nextLook(condition, now, stallMs, retentionMs);
    if (next !== undefined) await this.#storage.setAlarm(next);
    try {
      switch (condition.kind) {
        case "waiting": {
          const { taskId, launches } = condition;
          this.#run.countLaunch();
          const delivery = { deduplicationId: `start-${taskId}-watch-${launches}` };
          await services().queue.publish(messageTo(launchLost, { taskId }, delivery));
          break;
        }
        case "due":
          await this.#goOn();
          break;
        case "stalled": {
          const { taskId, step, launches } = condition;
          this.#run.countLaunch();
          const delivery = { deduplicationId: `step-${taskId}-${step}-watch-${launches}` };
          await services().queue.publish(messageTo(stepDue, { taskId, step }, delivery));
          break;
        }
        case "unsettled": {
          const { taskId, launches } = condition;
          this.#run.countLaunch();
          const delivery = { deduplicationId: `finished-${taskId}-watch-${launches}` };
          await services().queue.publish(messageTo(taskEnded, { taskId }, delivery));
          this.#run.settle();
          await this.#storage.setAlarm(now + retentionMs);
          break;
        }
        case "kept":
          return now >= condition.since + retentionMs ? "forget" : "watch";
        case "alive":
        case "parked":
        case "unknown":
          break;
      }
    } catch (error) {
      services().log.error("watchdog could not publish", { condition: condition.kind, cause: error });
    }
    return "watch";
  }
}

/**
 * Returns when to check again, in milliseconds since the epoch; undefined for a log that does not exist or is deleted
 * now.
 */
function nextLook(
  condition: ReturnType<RunState["condition"]>,
  now: number,
  stallMs: number,
  retentionMs: number,
): number | undefined {
  switch (condition.kind) {
    case "alive":
    case "parked":
      return condition.until;
    case "due":
    case "stalled":
      return now + stallMs;
    case "waiting":
    case "unsettled":
      return now + Math.min(stallMs * 2 ** Math.min(condition.launches, 5), MAX_PAUSE_MS);
    case "kept": {
      const end = condition.since + retentionMs;
      return now < end ? end : undefined;
    }
    case "unknown":
    default:
      return undefined;
  }
}
