/** Most characters of a list that the model is shown whole: a result has 30,000, other fields included. */
export const LIST_CHARS = 24_000;

/** The first items that fit, as JSON: better fewer than a list that breaks off in the middle. */
export function fitting<T>(items: readonly T[], limit: number, chars = LIST_CHARS): T[] {
  let left = chars;
  const fit: T[] = [];
  for (const item of items) {
    left -= JSON.stringify(item).length + 1;
    if (fit.length === limit || (left < 0 && fit.length > 0)) break;
    fit.push(item);
  }
  return fit;
}
