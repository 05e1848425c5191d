import { visibleLine } from "@agent-workspace/client";
import { dim, type Part } from "./styles.ts";

/** A column of a table: its heading, and the text of an item. */
export interface Column<T> {
  readonly title: string;
  readonly text: (item: T) => string | number | boolean | null | undefined;
}

/** Longest cell; the rest of a longer one is cut. */
const MAX_CELL = 60;

/** The lines of a table with a heading: columns of the same width, two spaces between them. */
export function table<T>(items: readonly T[], columns: readonly Column<T>[]): Part[][] {
  const rows = items.map((item) => columns.map(({ text }) => cell(text(item))));
  const titles = columns.map(({ title }) => title.toUpperCase());
  const widths = titles.map((title, index) =>
    Math.max(width(title), ...rows.map((row) => width(row[index] ?? ""))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((text, index) =>
        index === cells.length - 1 ? text : text + " ".repeat((widths[index] ?? 0) - width(text) + 2),
      )
      .join("");
  return [[dim(line(titles))], ...rows.map((row) => [line(row)])];
}

function cell(value: string | number | boolean | null | undefined): string {
  const text = visibleLine(String(value ?? ""));
  const letters = Array.from(text);
  return letters.length > MAX_CELL ? `${letters.slice(0, MAX_CELL - 1).join("")}…` : text;
}

/** Columns that a text takes, as far as tables need to know: wide letters count twice, marks not at all. */
function width(text: string): number {
  let columns = 0;
  for (const letter of text) {
    if (/\p{M}/u.test(letter)) continue;
    columns +=
      /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}]/u.test(
        letter,
      )
        ? 2
        : 1;
  }
  return columns;
}
