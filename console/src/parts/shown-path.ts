import { visible } from "@agent-workspace/client";

const SHORT: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t", "\\": "\\" };

/** A path or a name as it is shown: what is not seen in it is escaped, such as `\n`, and then each backslash is, too. */
export function shownPath(path: string): string {
  if (!hasUnseen(path)) return path;
  return visible(path.replaceAll(/[\\\n\r\t]/gu, escaped), escaped);
}

function hasUnseen(path: string): boolean {
  return /[\n\r\t]/u.test(path) || visible(path) !== path;
}

function escaped(letter: string): string {
  return `\\${SHORT[letter] ?? `u{${letter.codePointAt(0)?.toString(16)}}`}`;
}

const LONG: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SHORT).map(([letter, short]) => [short, letter]),
);

/** The path that a person wrote, beginning from another one as it is shown: its escapes are taken back. */
export function writtenPath(text: string, from: string): string {
  if (!hasUnseen(from)) return text;
  return text.replaceAll(
    /\\(?:u\{(?<code>[\da-f]{1,5})\}|(?<short>[nrt\\]))/gu,
    (_, code?: string, short?: string) =>
      code === undefined ? (LONG[short ?? ""] ?? "") : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
