// Splits a text into the pieces that a platform takes.
import type { RenderedText } from "../channel.ts";

/** A text that can be written from any position to any other. */
export interface Splittable {
  readonly end: number;
  /** A piece as messages of the platform hold it. Undefined if a reader would see nothing. */
  write(from: number, to: number): RenderedText | undefined;
  /** What kind of a break is just before a position, if any. */
  breakAt(at: number, from: number): Break | undefined;
  /** The last position up to `max`, and after `from`, that is within no link and no grapheme. */
  hardCut(from: number, max: number): number;
  /** The first position from a cut on that is not white space that the cut left over. */
  skipBlank(at: number): number;
}

export type Break = "paragraph" | "line" | "code line" | "sentence" | "space";

interface Limit {
  fits(text: RenderedText): boolean;
  /** No piece has more text than this, in UTF-16 units. */
  longest: number;
}

/** The pieces of a text, in order: as few as paragraphs, lines, sentences and words allow, each preferred to the next. */
export function split(text: Splittable, limit: Limit): RenderedText[] {
  const fits = (written: RenderedText | undefined) => written === undefined || limit.fits(written);
  const pieces: RenderedText[] = [];
  for (let from = text.skipBlank(0); from < text.end;) {
    let to = longestFitting(from, Math.min(text.end, from + limit.longest + 1), (end) =>
      fits(text.write(from, end)),
    );
    if (to < text.end) to = cutBetween(text, from, to);
    let piece = text.write(from, to);
    // A cut may need more markup than what was measured, which ended a few characters later.
    while (!fits(piece) && to > from + 1) {
      to = cutBetween(text, from, to - 1);
      piece = text.write(from, to);
    }
    if (piece !== undefined) pieces.push(piece);
    from = text.skipBlank(to);
  }
  return pieces;
}

/** Found by halving, so that the time is near to linear. */
function longestFitting(from: number, max: number, isFitting: (to: number) => boolean): number {
  if (isFitting(max)) return max;
  let above = max;
  let fitting = from + 1;
  while (above - fitting > 1) {
    const middle = Math.floor((fitting + above) / 2);
    if (isFitting(middle)) fitting = middle;
    else above = middle;
  }
  return fitting;
}

/** Where a text is cut before `max`: as late as the better kinds of a break allow. */
function cutBetween(text: Splittable, from: number, max: number): number {
  const half = from + (max - from) / 2;
  const quarter = from + (max - from) / 4;
  const last: Partial<Record<Break, number>> = {};
  let any: number | undefined;
  for (let at = max; at > from; at -= 1) {
    const kind = text.breakAt(at, from);
    if (kind === undefined) continue;
    any ??= at;
    last[kind] ??= at;
    if (at > half && kind === "paragraph") break;
  }
  const { paragraph = from, line = from, "code line": codeLine = from, sentence = from } = last;
  if (paragraph > half) return paragraph;
  if (line > half) return line;
  if (codeLine > from) return codeLine;
  if (sentence > quarter) return sentence;
  return any ?? text.hardCut(from, max);
}

/** What kind of a break a character of white space, or the end of a sentence in Chinese or Japanese, is within a paragraph. */
export function breakAfter(before: string): Exclude<Break, "paragraph" | "code line"> | undefined {
  if (before.endsWith("\n")) return "line";
  if (/[。！？]$|[.!?…]["'’”)\]]?\s$/.test(before)) return "sentence";
  return /\s$/.test(before) ? "space" : undefined;
}
