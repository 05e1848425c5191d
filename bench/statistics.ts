/** The value that the given `fraction` of all values does not exceed; NaN without values. */
function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? Number.NaN;
}

export const p50 = (values: readonly number[]): number => percentile(values, 0.5);
export const p95 = (values: readonly number[]): number => percentile(values, 0.95);

/** Milliseconds since the epoch, with fractions; comparable across the processes of one machine. */
export const now = (): number => performance.timeOrigin + performance.now();

/** How long `act` takes, in milliseconds. */
export async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}
