import { distanceWithin, type Budget } from "./levenshtein.ts";

/** A part of a text, with the indentation of its first non-blank line. */
export interface Span {
  start: number;
  end: number;
  indentation: string;
}

interface Line {
  /** The line trimmed, with each run of white space replaced by one space. */
  words: string;
  indentation: string;
  start: number;
  /** Before the line break. */
  end: number;
  /** After the line break. */
  next: number;
}

/** Shortest text, in characters, that may match approximately. */
const FUZZY_MIN_CHARS = 10;
const FUZZY_SHARE = 0.1;
/** Most steps of a search before it gives up: about half a second on a slow machine. */
const SEARCH_STEPS = 50_000_000;
/** Steps for each line that is compared, besides its characters. */
const LINE_STEPS = 5;
/** Most lines that are searched, since each is held in memory. */
const MAX_LINES = 100_000;

/**
 * Returns every run of whole lines that equals the wanted lines except for white space; runs may overlap. Empty when
 * the search would take too long.
 */
export function findFlexible(text: string, wanted: string): Span[] {
  const needle = linesOf(wanted);
  if (needle.every(({ words }) => words === "")) return [];
  const lines = linesOf(text);
  const found: number[] = [];
  let steps = SEARCH_STEPS;
  for (const first of windows(lines, needle)) {
    let [same, cost] = [0, 0];
    for (; same < needle.length; same += 1) {
      const words = needle[same]?.words ?? "";
      cost += LINE_STEPS + (words.length >> 3);
      if (lines[first + same]?.words !== words) break;
    }
    if (same === needle.length) found.push(first);
    steps -= cost;
    if (steps < 0) return [];
  }
  return found.map((first) => spanOf(lines, first, needle, wanted));
}

/**
 * Returns the runs of whole lines nearest to the wanted lines, ignoring white space, with a distance of at most a tenth
 * of the wanted characters: one span is a match, several are equally near. Empty when the wanted text is too short, or
 * when the search would take too long.
 */
export function findFuzzy(text: string, wanted: string): Span[] {
  const needle = linesOf(wanted);
  const words = needle.map((line) => line.words).join("\n");
  if (words.trim().length < FUZZY_MIN_CHARS) return [];
  const lines = linesOf(text);
  const budget: Budget = { steps: SEARCH_STEPS };
  let limit = Math.floor(words.length * FUZZY_SHARE);
  let nearest: number[] = [];
  const ends = charsUpTo(lines);
  for (const first of windows(lines, needle)) {
    budget.steps -= 1;
    if (budget.steps < 0) return [];
    const length = (ends[first + needle.length] ?? 0) - (ends[first] ?? 0) - 1;
    if (Math.abs(length - words.length) > limit) continue;
    budget.steps -= needle.length * LINE_STEPS + words.length;
    const run = lines.slice(first, first + needle.length);
    const distance = distanceWithin(words, run.map((line) => line.words).join("\n"), limit, budget);
    if (budget.steps < 0) return [];
    if (distance === undefined) continue;
    if (distance < limit) nearest = [];
    nearest.push(first);
    limit = distance;
  }
  return nearest.map((first) => spanOf(lines, first, needle, wanted));
}

/** Returns the white space at the start of the first non-blank line. */
export function indentationOf(text: string): string {
  return linesOf(text).find(({ words }) => words !== "")?.indentation ?? "";
}

/** Splits a text into lines; empty for a text with too many. A line break at the end does not begin another line. */
function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start < text.length) {
    if (lines.length === MAX_LINES) return [];
    const at = text.indexOf("\n", start);
    const next = at === -1 ? text.length : at + 1;
    const line = text.slice(start, next).replace(/\r?\n$/, "");
    lines.push({
      words: line.trim().replaceAll(/\s+/g, " "),
      indentation: /^[ \t]*/.exec(line)?.[0] ?? "",
      start,
      end: start + line.length,
      next,
    });
    start = next;
  }
  return lines;
}

/** Returns how many characters of `words`, plus one per line, precede each line and the end. */
function charsUpTo(lines: readonly Line[]): Uint32Array {
  const sums = new Uint32Array(lines.length + 1);
  for (const [at, { words }] of lines.entries()) sums[at + 1] = (sums[at] ?? 0) + words.length + 1;
  return sums;
}

function windows(lines: readonly Line[], needle: readonly Line[]): number[] {
  return Array.from({ length: Math.max(0, lines.length - needle.length + 1) }, (_, first) => first);
}

/** If the wanted text ends in a line break, the span includes the line break. */
function spanOf(lines: readonly Line[], first: number, needle: readonly Line[], wanted: string): Span {
  const run = lines.slice(first, first + needle.length);
  const last = run.at(-1);
  const end = wanted.endsWith("\n") ? last?.next : last?.end;
  const indentation = run[needle.findIndex(({ words }) => words !== "")]?.indentation ?? "";
  return { start: run[0]?.start ?? 0, end: end ?? 0, indentation };
}
