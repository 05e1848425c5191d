// Recognises Markdown that would take the parser more than linear time, or its whole stack: no text that a person wants to read.

/** Containers (`>`, `-`, `1.`) that one line may open. */
const MAX_CONTAINERS = 100;
/** Marks of styles and links in one paragraph: the time for them grows with their square. */
const MAX_MARKS = 5_000;
/** Brackets of one paragraph that close nothing: each makes the parser look back at all before it. */
const MAX_UNOPENED = 3_000;

const CONTAINERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/;
/** What begins a paragraph of its own without an empty line before it. */
const BEGINS = /^\s*(?:$|[-+*]\s+\S|#{1,6}\s)/;
const FENCE = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/;

export function isCostly(source: string): boolean {
  let fence: string | undefined;
  let paragraph = { open: 0, unopened: 0, marks: 0 };
  for (const line of source.split("\n")) {
    const [, ticks, tildes] = FENCE.exec(line) ?? [];
    const found = ticks ?? tildes;
    if (fence !== undefined) {
      if (found?.startsWith(fence) === true && line.trim() === found) fence = undefined;
      continue;
    }
    fence = found;
    const [containers = ""] = CONTAINERS.exec(line) ?? [];
    if ((containers.match(/[>*+-]|\d+/g) ?? []).length > MAX_CONTAINERS) return true;
    if (BEGINS.test(line)) paragraph = { open: 0, unopened: 0, marks: 0 };
    for (const mark of line.match(/[*_~]+|[[\]]/g) ?? []) {
      paragraph.marks += 1;
      if (mark === "[") paragraph.open += 1;
      else if (mark === "]" && paragraph.open > 0) paragraph.open -= 1;
      else if (mark === "]") paragraph.unopened += 1;
    }
    if (paragraph.marks > MAX_MARKS || paragraph.unopened > MAX_UNOPENED) return true;
  }
  return false;
}
