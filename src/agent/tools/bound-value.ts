import { headAndTail } from "./bound-text.ts";

export interface ValueBounds {
  /** Most characters kept of each text, without the note about the cut. */
  chars: number;
  /** Most items kept of each list. */
  items: number;
}

/**
 * Returns a JSON value with every text cut to its head and tail, and every list to its first items and a count of the
 * rest.
 */
export function boundValue(value: unknown, bounds: ValueBounds): unknown {
  if (typeof value === "string") return headAndTail(value, bounds.chars);
  if (Array.isArray(value)) {
    const kept: unknown[] = value.slice(0, bounds.items).map((item) => boundValue(item, bounds));
    const cut = value.length - kept.length;
    return cut > 0 ? [...kept, `[... ${cut} items cut ...]`] : kept;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [headAndTail(key, bounds.chars), boundValue(field, bounds)]),
  );
}
