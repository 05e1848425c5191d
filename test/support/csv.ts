/** The rows of a CSV text (RFC 4180), which must end every line with CRLF. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length;) {
    const quoted = /^"((?:[^"]|"")*)"/u.exec(text.slice(at));
    const plain = /^[^",\r\n]*/u.exec(text.slice(at));
    const raw = quoted?.[0] ?? plain?.[0] ?? "";
    row.push(quoted?.[1]?.replaceAll('""', '"') ?? raw);
    at += raw.length;
    if (text[at] === ",") {
      at += 1;
    } else if (text.startsWith("\r\n", at)) {
      rows.push(row);
      row = [];
      at += 2;
    } else {
      throw new Error(`Not CSV at ${at}: ${JSON.stringify(text.slice(at, at + 40))}`);
    }
  }
  return rows;
}
