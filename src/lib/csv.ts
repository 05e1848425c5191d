type Cell = string | null | undefined;

/**
 * Rows as CSV (RFC 4180: lines end with CRLF; a cell with a comma, quote or line break is quoted). A cell that a
 * spreadsheet would evaluate as a formula gets a leading `'`. Source of the characters: OWASP, "CSV Injection".
 */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(toCell).join(",")}\r\n`).join("");
}

function toCell(value: Cell): string {
  const text = value ?? "";
  const harmless = /^[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
