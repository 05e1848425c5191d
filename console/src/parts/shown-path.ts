/** What a person does not see in a name, or what turns the order of its letters: control characters, ends of lines, directions. */
const UNSEEN = String.raw`\p{Cc}\p{Zl}\p{Zp}\u061C\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF`;
const HAS_UNSEEN = new RegExp(`[${UNSEEN}]`, "u");
const ESCAPED = new RegExp(String.raw`[\\${UNSEEN}]`, "gu");
const SHORT: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t", "\\": "\\" };

/** A path or a name as it is shown: what is not seen in it is escaped, such as `\n`, and then each backslash is, too. */
export function shownPath(path: string): string {
  if (!HAS_UNSEEN.test(path)) return path;
  return path.replace(
    ESCAPED,
    (letter) => `\\${SHORT[letter] ?? `u{${letter.codePointAt(0)?.toString(16)}}`}`,
  );
}

const LONG: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SHORT).map(([letter, short]) => [short, letter]),
);

/** The path that a person wrote, beginning from another one as it is shown: its escapes are taken back. */
export function writtenPath(text: string, from: string): string {
  if (!HAS_UNSEEN.test(from)) return text;
  return text.replaceAll(
    /\\(?:u\{(?<code>[\da-f]{1,5})\}|(?<short>[nrt\\]))/gu,
    (_, code?: string, short?: string) =>
      code === undefined ? (LONG[short ?? ""] ?? "") : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
