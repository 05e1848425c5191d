// A table as text of fixed width: messaging platforms have no tables.

/** Cells are padded to the width of their column, but not to more than this: one long cell must not widen all rows. */
const MAX_PADDED = 40;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export function tableText(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, Math.min(widthOf(cell), MAX_PADDED));
    }
  }
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
      .join(" | ")
      .trimEnd(),
  );
  const [head = "", ...body] = lines;
  if (body.length === 0) return head;
  return [head, widths.map((width) => "-".repeat(width)).join("-+-"), ...body].join("\n");
}

/** Columns that a text takes: of two are emoji and the wide scripts of East Asia. */
function widthOf(text: string): number {
  if (/^[\u0020-\u02FF]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width +=
      /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]/u.test(
        segment,
      )
        ? 2
        : 1;
  }
  return width;
}
