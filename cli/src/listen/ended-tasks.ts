import type { Position } from "./position.ts";

/** A task as the list shows it. */
export interface ListedTask {
  readonly task_id: string;
  readonly status: string;
  readonly created_at: string;
}

/**
 * How much earlier than the newest known task the next look begins, in milliseconds: tasks may become visible in another order
 * than that of their times.
 */
const OVERLAP_MS = 30_000;

const ACTIVE: ReadonlySet<string> = new Set(["queued", "running"]);

/** Where a receiver begins: with the end of the tasks at work, and with all that are created from now on. */
export function beginning(newest: readonly ListedTask[], active: readonly ListedTask[]): Position {
  const open = active.map(({ task_id: id }) => id);
  const settled = newest.filter(({ task_id: id }) => !open.includes(id)).map(({ task_id: id }) => id);
  return { since: latest(undefined, newest), open, settled };
}

/** Moment from which tasks are listed. */
export function listedFrom({ since }: Position): string | undefined {
  return since === undefined ? undefined : new Date(Date.parse(since) - OVERLAP_MS).toISOString();
}

/**
 * The next position, and the tasks that have ended since. `recent` are the tasks that were created since `listedFrom`, `active`
 * all that wait or run. An ended task stays open until it is settled.
 */
export function advance(
  position: Position,
  recent: readonly ListedTask[],
  active: readonly ListedTask[],
): { position: Position; ended: string[] } {
  const settled = new Set(position.settled);
  const open = new Set(position.open);
  for (const { task_id: id } of [...recent, ...active]) if (!settled.has(id)) open.add(id);
  const atWork = new Set(active.map(({ task_id: id }) => id));
  // Listed before the active ones were: it may have ended in between, which the next look shows.
  for (const { task_id: id, status } of recent) if (ACTIVE.has(status)) atWork.add(id);
  const recentIds = new Set(recent.map(({ task_id: id }) => id));
  return {
    position: {
      since: latest(position.since, recent),
      open: [...open],
      settled: position.settled.filter((id) => recentIds.has(id)),
    },
    ended: [...open].filter((id) => !atWork.has(id)),
  };
}

/** The position after a task's end was delivered, or given up. */
export function settle(position: Position, id: string): Position {
  return {
    since: position.since,
    open: position.open.filter((each) => each !== id),
    settled: [...position.settled, id],
  };
}

function latest(since: string | undefined, tasks: readonly ListedTask[]): string | undefined {
  const times = [since, ...tasks.map(({ created_at: at }) => at)].flatMap((at) => at ?? []);
  return times.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1);
}
