import { TEXT_FILE_BYTES } from "../text-file.ts";
import { OccurrenceFinder } from "./find-occurrence.ts";
import { findFlexible, findFuzzy, indentationOf, type Span } from "./find-lines.ts";

export interface Edit {
  oldText: string;
  newText: string;
  /** How often `oldText` must occur; any other number is refused. */
  expectedOccurrence: number;
  /** Replaces every occurrence, without checking their number. */
  allowMultiple: boolean;
}

/** How the place was found: as written, except for white space, or nearly the same. */
export type EditStrategy = "exact" | "flexible" | "fuzzy";

export type EditOutcome =
  | { ok: true; text: string; strategy: EditStrategy; occurrences: number }
  | { ok: false; error: string; suggestion: string };

/** Most places one edit changes: each is held in memory. */
const MAX_PLACES = 100_000;

interface Found {
  spans: readonly Span[];
  /** Whether another match overlaps one of these, so that it is unclear which one was meant. */
  overlap: boolean;
}

/**
 * Replaces one text by another. It is searched for as written, then as whole lines whose white space differs, then as
 * whole lines that are nearly the same; the first way that finds anything decides. The edit is refused if the number of
 * matches is not the expected one: an edit in the wrong place is worse than none.
 */
export function applyEdit(text: string, edit: Edit): EditOutcome {
  if (edit.oldText === edit.newText)
    return refuse("old_str and new_str are the same.", "There is nothing to change.");
  if (hasElision(edit.newText) && !hasElision(edit.oldText)) {
    return refuse(
      "new_str has a line that stands for left-out code (`...`).",
      "Write every line out in full.",
    );
  }
  const wanted: Edit = {
    ...edit,
    oldText: withLineBreaksOf(text, edit.oldText),
    newText: withLineBreaksOf(text, edit.newText),
  };
  const exact = findExact(text, wanted.oldText);
  if (exact.spans.length > 0) return replace(text, wanted, exact, "exact");
  const flexible = withoutOverlap(findFlexible(text, wanted.oldText));
  if (flexible.spans.length > 0) return replace(text, wanted, flexible, "flexible");
  const one = wanted.expectedOccurrence === 1 && !wanted.allowMultiple;
  const fuzzy = withoutOverlap(one ? findFuzzy(text, wanted.oldText) : []);
  if (fuzzy.spans.length > 0) return replace(text, wanted, fuzzy, "fuzzy");
  return refuse("old_str is not in the file.", "Read the file again and copy the lines as they are now.");
}

/** Searches from left to right, as `String.replaceAll` does. Stops one place above the limit. */
function findExact(text: string, wanted: string): Found {
  const spans: Span[] = [];
  let overlap = false;
  const finder = new OccurrenceFinder(text, wanted);
  let start = finder.next(0);
  while (start !== -1 && spans.length <= MAX_PLACES) {
    const end = start + wanted.length;
    spans.push({ start, end, indentation: "" });
    // One overlap is enough; searching for more would read the same characters again and again.
    start = finder.next(overlap ? end : start + 1);
    if (start !== -1 && start < end) {
      overlap = true;
      start = finder.next(end);
    }
  }
  return { spans, overlap };
}

function withoutOverlap(spans: readonly Span[]): Found {
  const kept: Span[] = [];
  for (const span of spans) {
    const before = kept.at(-1);
    if (before === undefined || span.start >= before.end) kept.push(span);
  }
  return { spans: kept, overlap: kept.length < spans.length };
}

function replace(text: string, edit: Edit, found: Found, strategy: EditStrategy): EditOutcome {
  const { spans, overlap } = found;
  if (!edit.allowMultiple && (overlap || spans.length !== edit.expectedOccurrence)) {
    const counted = `${Math.min(spans.length, MAX_PLACES)} times${overlap ? " or more, overlapping" : ""}`;
    return refuse(
      `old_str is in the file ${counted} (${strategy} match), expected ${edit.expectedOccurrence}.`,
      "Add the lines around it until it is unique, or set expected_occurrence or allow_multiple.",
    );
  }
  if (spans.length > MAX_PLACES) {
    return refuse(`old_str is in the file more than ${MAX_PLACES} times.`, "Use bash_exec with sed.");
  }
  const oldIndentation = indentationOf(edit.oldText);
  const parts: string[] = [];
  let length = text.length;
  let done = 0;
  for (const { start, end, indentation } of spans) {
    const reindented =
      strategy === "exact" ? edit.newText : reindent(edit.newText, oldIndentation, indentation);
    // The last line of the file has no line break: the edit brings none with it.
    const isOpen = end === text.length && edit.oldText.endsWith("\n") && !text.endsWith("\n");
    const written = isOpen ? reindented.replace(/\r?\n$/u, "") : reindented;
    length += written.length - (end - start);
    if (length > TEXT_FILE_BYTES) {
      return refuse(
        `The file would become larger than ${TEXT_FILE_BYTES} bytes.`,
        "Replace fewer places at once.",
      );
    }
    parts.push(text.slice(done, start), written);
    done = end;
  }
  parts.push(text.slice(done));
  return { ok: true, text: parts.join(""), strategy, occurrences: spans.length };
}

/** Indents the new lines like the lines they replace: the model's indentation `from` becomes the file's `to`. */
function reindent(newText: string, from: string, to: string): string {
  if (from === to) return newText;
  return newText
    .split("\n")
    .map((line) => (line.trim() !== "" && line.startsWith(from) ? to + line.slice(from.length) : line))
    .join("\n");
}

/** In a file whose lines all end in CRLF, LF in the edit's text means CRLF. */
function withLineBreaksOf(file: string, text: string): string {
  if (!file.includes("\r\n") || text.includes("\r") || /(?<!\r)\n/.test(file)) return text;
  return text.replaceAll("\n", "\r\n");
}

/** A line of only dots, or a comment of only dots. */
const ELISION = /^(?:\/\/|#|--|;|\/\*|<!--)?\s*(?:\.\.\.|…)\s*(?:\*\/|-->)?$/;

function hasElision(text: string): boolean {
  return text.split("\n").some((line) => ELISION.test(line.trim()));
}

function refuse(error: string, suggestion: string): EditOutcome {
  return { ok: false, error, suggestion };
}
