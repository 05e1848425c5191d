/** A part of a text that is not shown: from `start` up to, and without, `end`. */
export interface Span {
  start: number;
  end: number;
  /** Name of the secret; undefined for what only looks like one. */
  key: string | undefined;
}

/** What stands in place of a secret. */
export function markerOf(key: string | undefined): string {
  return key === undefined ? "«secret»" : `«secret:${key}»`;
}

/**
 * Spans in order, those that overlap or follow one another under the same name made into one. Where two overlap, nothing
 * of either is left, and the name of the first that has one stands for both.
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

/** The text with a marker in place of each span; `spans` are as `joinSpans` gives them. */
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
