import type { Bench } from "./bench.ts";

/** One figure and its goal. */
export interface Figure {
  what: string;
  value: number;
  /** `ms`, `per s`, `MiB` …; empty for a plain count or ratio. */
  unit: string;
  goal?: { atMost: number } | { atLeast: number };
}

export interface Measurement {
  /** For `--only`. */
  name: string;
  title: string;
  /** What exactly is measured. */
  how: string;
  run(bench: Bench): Promise<Figure[]>;
}

export function isMet({ value, goal }: Figure): boolean | undefined {
  if (!goal) return undefined;
  return "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
}
