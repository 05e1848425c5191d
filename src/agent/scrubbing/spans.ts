/** A part of a text that is not shown: from `start` up to, but excluding, `end`. */
export interface Span {
  start: number;
  end: number;
  /** Name of the secret; undefined for text that only looks like one. */
  key: string | undefined;
}

/** Returns the marker that replaces a secret. */
export function markerOf(key: string | undefined): string {
  return key === undefined ? "«secret»" : `«secret:${key}»`;
}

/**
 * Sorts spans and joins those that overlap or are adjacent under the same name. Overlapping spans are hidden together,
 * under the name of the first that has one.
 */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1);
    if (last && (span.start < last.end || (span.start === last.end && span.key === last.key))) {
      last.end = Math.max(last.end, span.end);
      last.key ??= span.key;
    } else {
      joined.push({ ...span });
    }
  }
  return joined;
}

/** Returns the text with a marker in place of each span; `spans` come from `joinSpans`. */
export function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let shown = "";
  let at = 0;
  for (const { start, end, key } of spans) {
    shown += text.slice(at, start) + markerOf(key);
    at = end;
  }
  return shown + text.slice(at);
}
