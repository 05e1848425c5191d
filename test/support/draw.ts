import { inject } from "vitest";
import { seeded } from "./random.ts";
import { IS_SOAK } from "./soak.ts";

/** The same things in an order that the seed of the run decides. */
function shuffled<T>(things: readonly T[], salt = 0): T[] {
  const random = seeded(inject("fuzzSeed") + salt);
  return things
    .map((thing) => ({ thing, place: random.between(0, 1) }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ thing }) => thing);
}

/** Some of the things, all in a long run. */
export function some<T>(things: readonly T[], count: number, salt = 0): T[] {
  return IS_SOAK ? [...things] : shuffled(things, salt).slice(0, count);
}

interface Draw<R> {
  /** What is attacked: each of them is, at least once. */
  of: (row: R) => string;
  /** The attack: each is made, at least once. */
  kind: (row: R) => string;
  /** How many rows of each that is attacked. */
  each?: number;
}

/** The rows of a table that the seed of the run draws, in the table's order; all of them in a long run. */
export function drawn<R>(rows: readonly R[], { of, kind, each = 1 }: Draw<R>): R[] {
  if (IS_SOAK) return [...rows];
  const left = Map.groupBy(shuffled(rows), of);
  const used = new Map<string, number>();
  const taken = new Set<R>();
  const take = (row: R) => {
    taken.add(row);
    used.set(kind(row), timesOf(row) + 1);
  };
  const timesOf = (row: R) => used.get(kind(row)) ?? 0;
  for (const own of left.values()) {
    for (let count = 0; count < each; count += 1) {
      const [rarest] = own
        .filter((row) => !taken.has(row))
        .toSorted((one, other) => timesOf(one) - timesOf(other));
      if (rarest) take(rarest);
    }
  }
  for (const row of shuffled(rows)) if (timesOf(row) === 0) take(row);
  return rows.filter((row) => taken.has(row));
}
