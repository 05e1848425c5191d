import { lateAfterMs, nextRun } from "#src/domain/schedules/expressions/index.ts";
import type { Schedule } from "#src/domain/schedules/definitions/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { messageTo } from "#src/work/message.ts";
import { messageOfRun, tickDue } from "./functions.ts";
import type { TickConfig } from "./keep-ticking.ts";
import { claimDue, pauseFor, storeRuns, type Decision } from "./queries/due.ts";

export interface TickDeps {
  db: Db;
  queue: Queue;
  log: Log;
}

/** Schedules that one statement takes, and messages of one request to the queue. */
const PAGE = 100;
/** Time that one tick takes pages for; then another delivery goes on. A step of the queue may run longer. */
const TICK_MS = 15_000;
/** Moments that are counted as missed; more are not told apart. Each takes 0.1 ms, of thousands of schedules. */
const MAX_MISSED = 100;

/**
 * Stores a run for every schedule that is due, and gives the runs to the queue. A moment that came while the service was off
 * is run once, with all that came after it. Ticks at the same time share the work. A tick that dies is repeated by the queue,
 * and what it had stored has its jobs.
 */
export async function tick(deps: TickDeps, { overdueSeconds }: { overdueSeconds: number }): Promise<void> {
  const until = Date.now() + TICK_MS;
  for (;;) {
    const due = await claimDue(deps.db, { limit: PAGE, overdueSeconds });
    if (due.length === 0) return;
    const decisions = await decideAll(deps, due);
    const runs = decisions.length === 0 ? [] : await storeRuns(deps.db, decisions);
    await deps.queue.publishBatch(runs.map(({ key, generation }) => messageOfRun(key, generation)));
    if (due.length < PAGE) return;
    if (Date.now() > until) return deps.queue.publish(messageTo(tickDue, { extra: true }));
  }
}

/** Does what the queue's ticks have left undone for a whole interval. */
export async function tickOverdue(deps: TickDeps & { config: TickConfig }): Promise<void> {
  await tick(deps, { overdueSeconds: deps.config.GATEWAY_TICK_INTERVAL });
}

async function decideAll(deps: TickDeps, due: readonly Schedule[]): Promise<Decision[]> {
  const now = new Date();
  const decisions: Decision[] = [];
  for (const schedule of due) {
    try {
      decisions.push(decide(schedule, now));
    } catch (cause) {
      // A zone that this version of the runtime does not know any more, for example.
      deps.log.error("a schedule cannot be understood", { schedule_id: schedule.id, cause });
      await pauseFor(deps.db, schedule.id, "The schedule's text or time zone is not understood any more");
    }
  }
  return decisions;
}

/** What becomes of a due schedule: its moment is run or skipped, and the next one is after now. */
export function decide(schedule: Schedule, now: Date): Decision {
  const { timing, timezone, anchorAt: anchor, nextRunAt: slot } = schedule;
  if (!slot) throw new Error("The schedule has no moment");
  const clock = { timezone, anchor };
  // The database's clock, by which the moment has come, may be ahead.
  const next = nextRun(timing, { ...clock, after: now > slot ? now : slot });
  const isLate = now.getTime() - slot.getTime() > lateAfterMs(timing, { ...clock, slot });
  return {
    scheduleId: schedule.id,
    runId: newId(),
    taskId: newId(),
    slot: slot.toISOString(),
    next: next?.toISOString() ?? null,
    isLate,
    missed: missedBetween(schedule, slot, now),
    skipped: isLate && schedule.catchUp === "skip" ? "The moment was missed: the service was off" : null,
  };
}

/** Moments after the slot and up to now. */
function missedBetween({ timing, timezone, anchorAt: anchor }: Schedule, slot: Date, now: Date): number {
  let missed = 0;
  let at = nextRun(timing, { timezone, anchor, after: slot });
  while (at && at <= now && missed < MAX_MISSED) {
    missed += 1;
    at = nextRun(timing, { timezone, anchor, after: at });
  }
  return missed;
}
