import type { Ending } from "./queries/executors.ts";

/** What one delivery of the queue came to. */
export type Outcome =
  /** The deployment has another status: the executor goes on. */
  | { kind: "advanced" }
  | { kind: "ended"; ending: Ending }
  /** Nothing to do before so many seconds have passed; after a failure that may not recur, with its reason. */
  | { kind: "later"; inSeconds: number; failure?: string }
  /** The row is gone. */
  | { kind: "forgotten" };

export const ADVANCED = { kind: "advanced" } as const;

export const ended = (
  status: Ending["status"],
  error: string | null = null,
  more: Pick<Ending, "url"> = {},
): Outcome => ({ kind: "ended", ending: { status, error, ...more } });
