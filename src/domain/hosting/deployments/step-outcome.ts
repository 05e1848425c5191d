import type { Ending } from "./queries/endings.ts";

/** What an attempt came to without a failure. */
export type RunOutcome =
  | { kind: "ended"; ending: Ending }
  /** Nothing to do before so many seconds have passed. */
  | { kind: "later"; seconds: number }
  /** The row is gone. */
  | { kind: "done" };

/** What one step came to; `advanced`: the deployment has another status, and the executor goes on. */
export type StepOutcome = RunOutcome | { kind: "advanced" };

export const ADVANCED = { kind: "advanced" } as const;
export const FORGOTTEN = { kind: "done" } as const;

export const ended = (
  status: Ending["status"],
  error: string | null = null,
  more: Pick<Ending, "url"> = {},
): RunOutcome => ({ kind: "ended", ending: { status, error, ...more } });
