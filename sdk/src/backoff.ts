const FIRST_MS = 500;
const MOST_MS = 15_000;

/**
 * Milliseconds to wait before the next attempt, after so many that failed in a row (from 1): a random part of a span that
 * doubles from 0.5 to 15 seconds. Clients that lost their connections at one moment so come back at different ones.
 * Source: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ ("full jitter").
 */
export function backoff(failures: number, random: () => number): number {
  return random() * Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1));
}
