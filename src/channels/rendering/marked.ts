// Writes blocks line by line, in the markups where a style is a character around the text and a quotation is one before the line.
import { type Block, groupsOf, type Link, type Run, type Style } from "./document.ts";

export interface Dialect {
  /** What is put before and after the text of a style. Others are left out. */
  styles: Partial<Record<Style, string>>;
  /** Text as the platform shows it, whatever it holds. */
  escape(text: string): string;
  /** Code that has a style of its own, on lines of its own. */
  fence(code: string): string;
  /** A link whose label is not its address. Undefined to write the address after the label. */
  link: ((label: string, link: Link) => string) | undefined;
  /** Whether an invisible character must separate what is written from what comes next, for markers to be read as markers. */
  isAmbiguous(before: Joint, next: Joint): boolean;
  /** Whether text can have the style of inline code. */
  isCode(text: string): boolean;
}

/** A character at one side of a place, and what it is of. */
export interface Joint {
  character: string;
  part: "opening" | "closing" | "text";
}

/** Of no width, and no letter: what separates markup from letters that it would not work beside. */
export const SEPARATOR = "\u{200B}";

export function writeMarked(blocks: readonly Block[], dialect: Dialect): string {
  let written = "";
  for (const [place, block] of blocks.entries()) {
    const before = blocks[place - 1];
    const isQuoteContinued =
      block.quote !== undefined &&
      before?.quote === block.quote &&
      before.kind !== "code" &&
      block.kind !== "code";
    if (place > 0) written += isQuoteContinued && block.gap === "\n\n" ? "\n>\n" : block.gap;
    written += block.kind === "code" ? writeCode(block, dialect) : writeText(block, dialect);
  }
  return written.trimEnd().replace(/^\n+/, "");
}

/** Of a quotation too without `>`: within it, the platforms know no blocks of code. */
function writeCode({ marker, runs }: Block, dialect: Dialect): string {
  const code = runs.map(({ text }) => text).join("");
  const fenced = code.trim() === "" ? "" : dialect.fence(code.replace(/\n+$/, ""));
  return marker.trim() === "" ? fenced : `${marker.trimEnd()}\n${fenced}`;
}

function writeText({ runs, marker, indent, quote }: Block, dialect: Dialect): string {
  const quoteMark = quote === undefined ? "" : "> ";
  return linesOf(runs)
    .map((line, place) => quoteMark + (place === 0 ? marker : indent) + writeLine(line, dialect))
    .map((line) => line.trimEnd())
    .join("\n");
}

function linesOf(runs: readonly Run[]): Run[][] {
  const lines: Run[][] = [[]];
  for (const run of runs) {
    for (const [place, text] of run.text.split("\n").entries()) {
      if (place > 0) lines.push([]);
      lines.at(-1)?.push({ ...run, text });
    }
  }
  return lines;
}

/** Text that is written in one go. */
interface Span {
  text: string;
  styles: readonly Style[];
  isBlank: boolean;
}

function writeLine(runs: readonly Run[], dialect: Dialect): string {
  const spans = withBlanksOutside(groupsOf(runs).flatMap((group) => spansOf(group, dialect)));
  const open: Style[] = [];
  let written = "";
  let part: Joint["part"] = "text";
  const add = (text: string, next: Joint["part"]) => {
    if (text === "") return;
    const last = lastCharacter(written);
    const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
    if (
      last !== undefined &&
      dialect.isAmbiguous({ character: last, part }, { character: first, part: next })
    ) {
      written += SEPARATOR;
    }
    written += text;
    part = next;
  };
  for (const { text, styles } of [...spans, { text: "", styles: [] }]) {
    const kept = commonStyles(open, styles).length;
    while (open.length > kept) add(dialect.styles[open.pop() ?? "bold"] ?? "", "closing");
    for (const style of styles.slice(kept)) {
      add(dialect.styles[style] ?? "", "opening");
      open.push(style);
    }
    add(text, "text");
  }
  return written;
}

function lastCharacter(text: string): string | undefined {
  return Array.from(text.slice(-2)).at(-1);
}

/** What one link is written as, or text that is in none. */
function spansOf(group: readonly Run[], dialect: Dialect): Span[] {
  const link = group[0]?.link;
  const spans: Span[] = group.flatMap(({ text, styles }) => {
    const known = styles.filter((style) => dialect.styles[style] !== undefined);
    const shown = dialect.isCode(text) ? known : known.filter((style) => style !== "code");
    // White space apart, which is not to be next to a marker.
    return text
      .split(/^(\s+)|(\s+)$/)
      .filter((part) => part !== undefined && part !== "")
      .map((part) => ({ text: dialect.escape(part), styles: shown, isBlank: part.trim() === "" }));
  });
  if (link === undefined || spans.length === 0) return spans;
  if (dialect.link !== undefined) {
    const first: readonly Style[] = spans[0]?.styles ?? [];
    const styles = spans.reduce((common, span) => commonStyles(common, span.styles), first);
    return [{ text: dialect.link(spans.map(({ text }) => text).join(""), link), styles, isBlank: false }];
  }
  if (link.isBare) return spans;
  return [
    ...spans,
    { text: dialect.escape(` (${link.url.replace(/^mailto:/i, "")})`), styles: [], isBlank: false },
  ];
}

/** White space has the styles that what is before and what is after it share. */
function withBlanksOutside(spans: readonly Span[]): Span[] {
  const after: (readonly Style[])[] = [];
  let next: readonly Style[] = [];
  for (const span of spans.toReversed()) {
    after.push(next);
    if (!span.isBlank) next = span.styles;
  }
  let previous: readonly Style[] = [];
  return spans.map((span) => {
    const following = after.pop() ?? [];
    if (span.isBlank)
      return { ...span, styles: commonStyles(commonStyles(previous, following), span.styles) };
    previous = span.styles;
    return span;
  });
}

function commonStyles(one: readonly Style[], other: readonly Style[]): readonly Style[] {
  const different = one.findIndex((style, place) => other[place] !== style);
  return different === -1 ? one : one.slice(0, different);
}
