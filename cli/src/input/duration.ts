import { UsageError } from "../errors.ts";

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
/** Longest time that Node's timers take, in milliseconds: more fires at once. */
const MAX_MS = 2 ** 31 - 1;

/** Milliseconds of `90`, `90s`, `5m` or `1h`; a number without a unit is seconds. Throws `UsageError` for anything else. */
export function durationMs(text: string): number {
  const [, number = "", unit = "s"] = /^(\d+(?:\.\d+)?)([smh])?$/u.exec(text) ?? [];
  const ms = Number(number) * (unit === "m" ? UNITS_MS.m : unit === "h" ? UNITS_MS.h : UNITS_MS.s);
  if (number === "" || ms <= 0 || ms > MAX_MS) {
    throw new UsageError(`${text} is not a time: write it as 90, 90s, 5m or 1h`);
  }
  return Math.ceil(ms);
}
