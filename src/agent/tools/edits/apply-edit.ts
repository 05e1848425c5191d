import { TEXT_FILE_BYTES } from "../text-file.ts";
import { OccurrenceFinder } from "./find-occurrence.ts";
import { findFlexible, findFuzzy, indentationOf, type Span } from "./find-lines.ts";

export interface Edit {
  oldText: string;
  newText: string;
  /** How often `oldText` must be there; any other number is refused. */
  expectedOccurrence: number;
  /** Replace every occurrence, however many there are. */
  allowMultiple: boolean;
}

/** How the place was found: as written, but for white space, or nearly the same. */
export type EditStrategy = "exact" | "flexible" | "fuzzy";

export type EditOutcome =
  | { ok: true; text: string; strategy: EditStrategy; occurrences: number }
  | { ok: false; error: string; suggestion: string };

/** Most places one edit changes: each is held in memory. */
const MAX_PLACES = 100_000;

interface Found {
  spans: readonly Span[];
  /** Whether another match overlaps one of them, so that which one was meant is open. */
  overlap: boolean;
}

/**
 * Replace one text by another. It is looked for as written, then as whole lines whose white space differs, then as
 * whole lines that are nearly the same; the first way that finds anything decides. What is found more or less often
 * than expected is refused: an edit in the wrong place is worse than none.
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

/** From left to right, as `String.replaceAll` goes. Stops one place above the limit. */
function findExact(text: string, wanted: string): Found {
  const spans: Span[] = [];
  let overlap = false;
  const finder = new OccurrenceFinder(text, wanted);
  let start = finder.next(0);
  while (start !== -1 && spans.length <= MAX_PLACES) {
    const end = start + wanted.length;
    spans.push({ start, end, indentation: "" });
    // One overlap is enough to know of; looking for more would read the same characters again and again.
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
    const written = strategy === "exact" ? edit.newText : reindent(edit.newText, oldIndentation, indentation);
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

/** The new lines as deep as the lines they replace: the model's indentation `from` becomes the file's `to`. */
function reindent(newText: string, from: string, to: string): string {
  if (from === to) return newText;
  return newText
    .split("\n")
    .map((line) => (line.trim() !== "" && line.startsWith(from) ? to + line.slice(from.length) : line))
    .join("\n");
}

/** In a file whose every line ends in CRLF a text written with LF means the same lines. */
function withLineBreaksOf(file: string, text: string): string {
  if (!file.includes("\r\n") || text.includes("\r") || /(?<!\r)\n/.test(file)) return text;
  return text.replaceAll("\n", "\r\n");
}

/** A line of nothing but dots, or of a comment of nothing but dots. */
const ELISION = /^(?:\/\/|#|--|;|\/\*|<!--)?\s*(?:\.\.\.|…)\s*(?:\*\/|-->)?$/;

function hasElision(text: string): boolean {
  return text.split("\n").some((line) => ELISION.test(line.trim()));
}

function refuse(error: string, suggestion: string): EditOutcome {
  return { ok: false, error, suggestion };
}
