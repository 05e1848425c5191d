/** One entry of a tar archive as an attacker writes it: nothing is checked. */
export interface RawEntry {
  name: string;
  /** The letter of ustar: `0` a file, `1` a hard link, `2` a symbolic link, `5` a directory. A file when absent. */
  type?: string;
  linkname?: string;
  text?: string;
  /** What the header says; the length of the text when absent. */
  size?: number;
  mode?: number;
}

const BLOCK = 512;
const encoder = new TextEncoder();

/** A tar archive, byte by byte: https://www.gnu.org/software/tar/manual/html_node/Standard.html */
export function rawTar(entries: readonly RawEntry[]): Uint8Array<ArrayBuffer> {
  const blocks = entries.flatMap((entry) => [headerOf(entry), padded(encoder.encode(entry.text ?? ""))]);
  return joined([...blocks, new Uint8Array(2 * BLOCK)]);
}

/** An extended header of the next entry, such as its path; `of` is `g` for all entries that follow. */
export function pax(fields: Readonly<Record<string, string>>, of: "x" | "g" = "x"): RawEntry {
  const lines = Object.entries(fields).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    const bytes = encoder.encode(rest).length;
    const digits = String(bytes + String(bytes).length).length;
    return `${bytes + digits}${rest}`;
  });
  return { name: "pax", type: of, text: lines.join("") };
}

function headerOf({ name, type = "0", linkname = "", text = "", size, mode = 0o644 }: RawEntry): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const write = (at: number, value: string) => header.set(encoder.encode(value), at);
  const octal = (at: number, length: number, value: number) =>
    write(at, `${value.toString(8).padStart(length - 1, "0")}\0`);
  header.set(encoder.encode(name).subarray(0, 100), 0);
  octal(100, 8, mode);
  octal(108, 8, 0);
  octal(116, 8, 0);
  octal(124, 12, size ?? encoder.encode(text).length);
  octal(136, 12, 1_600_000_000);
  write(148, " ".repeat(8));
  write(156, type);
  header.set(encoder.encode(linkname).subarray(0, 100), 157);
  write(257, "ustar\u000000");
  const sum = header.reduce((all, byte) => all + byte, 0);
  write(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return header;
}

function padded(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil(bytes.length / BLOCK) * BLOCK);
  whole.set(bytes);
  return whole;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
