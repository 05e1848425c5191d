/** Most characters of a list that the model is shown whole: a result may have 30,000, including its other fields. */
export const LIST_CHARS = 24_000;

/** Returns the first items that fit, as JSON: fewer items are better than a list that breaks off in the middle. */
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
