import type { Bench } from "./bench.ts";

/** One figure and its goal. */
export interface Figure {
  what: string;
  value: number;
  /** `ms`, `per s`, `MiB` …; empty for a plain count or ratio. */
  unit: string;
  goal?: { atMost: number } | { atLeast: number };
}

/** Thrown by a measurement that this machine cannot make. The message says what is missing. */
export class NotPossible extends Error {}

export interface Measurement {
  /** For `--only`. */
  name: string;
  title: string;
  /** What exactly is measured. */
  how: string;
  /** Throws `NotPossible`; any other error is a failure. */
  run(bench: Bench): Promise<Figure[]>;
}

export function isMet({ value, goal }: Figure): boolean | undefined {
  if (!goal) return undefined;
  return "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
}
