/**
 * Returns counts with those of a later report. Providers report once, or running totals, or first some and then others;
 * so the last count stands, but neither an absent one nor a zero erases a count before it.
 */
export function keepCounts<T extends object>(known: T, sent: Partial<T> | null | undefined): T {
  const counted = Object.entries(sent ?? {}).filter(([, count]) => typeof count !== "number" || count !== 0);
  const present = counted.filter(([, count]) => count !== null && count !== undefined);
  return { ...known, ...Object.fromEntries(present) };
}
