/** A platform that only restarted is back soon. */
const QUICK_MS = [1_000, 2_000, 4_000, 8_000];
const FIRST_MS = 30_000;
const MAX_MS = 300_000;

/**
 * Milliseconds until the next attempt after so many failures in a row. `chance`, from 0 to 1, spreads the attempts of many
 * channels, which an outage of their platform makes fail at once: the delay is between a half and all of the step.
 */
export function retryDelay(failures: number, chance: number): number {
  const step = QUICK_MS[failures - 1] ?? Math.min(FIRST_MS * 2 ** (failures - QUICK_MS.length - 1), MAX_MS);
  return Math.round(step * (0.5 + chance / 2));
}
