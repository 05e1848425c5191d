/** Steps that a search may still take; below 0 it has given up. */
export interface Budget {
  steps: number;
}

/**
 * Returns the number of inserted, deleted and replaced characters between two texts, or undefined when it is above
 * `limit`. Only the diagonal band that can stay within the limit is computed, so the cost is length times limit,
 * charged to the budget; an exhausted budget returns undefined too.
 */
export function distanceWithin(a: string, b: string, limit: number, budget: Budget): number | undefined {
  if (Math.abs(a.length - b.length) > limit) return undefined;
  const outside = limit + 1;
  let previous = new Uint32Array(b.length + 1).fill(outside);
  let current = new Uint32Array(b.length + 1).fill(outside);
  for (let j = 0; j <= Math.min(limit, b.length); j += 1) previous[j] = j;

  for (let i = 1; i <= a.length; i += 1) {
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    budget.steps -= to - from + 1;
    if (budget.steps < 0) return undefined;
    let best = (current[from - 1] = from === 1 ? Math.min(i, outside) : outside);
    for (let j = from; j <= to; j += 1) {
      const replaced = cell(previous, j - 1) + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      const distance = Math.min(replaced, cell(previous, j) + 1, cell(current, j - 1) + 1, outside);
      current[j] = distance;
      if (distance < best) best = distance;
    }
    if (best > limit) return undefined;
    [previous, current] = [current, previous];
  }
  const distance = cell(previous, b.length);
  return distance > limit ? undefined : distance;
}

function cell(row: Uint32Array, index: number): number {
  return row[index] ?? 0;
}
