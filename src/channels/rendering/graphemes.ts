const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * The last offset up to `end` that cuts no grapheme of the text that begins at `start`. A grapheme that fills all between is cut,
 * but no surrogate pair.
 */
export function graphemeCut(text: string, start: number, end: number): number {
  if (end >= text.length) return text.length;
  const found = segmenter.segment(text.slice(start, end + 2)).containing(end - start);
  if (found !== undefined && found.index > 0) return start + found.index;
  const next = text.charCodeAt(end);
  if (next < 0xdc_00 || next > 0xdf_ff) return end;
  return end - 1 > start ? end - 1 : end + 1;
}
