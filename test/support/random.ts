/** Numbers that look random and repeat with their seed. */
export interface Random {
  /** From `min` up to but without `max`. */
  between(min: number, max: number): number;
  /** Whole, from `min` to `max`. */
  whole(min: number, max: number): number;
  chance(probability: number): boolean;
}

/** Mulberry32. Source: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + next() * (max - min);
  return {
    between,
    whole: (min, max) => Math.floor(between(min, max + 1)),
    chance: (probability) => next() < probability,
  };
}
