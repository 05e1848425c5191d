/**
 * The words of a command in one line, for a person who decides about it: a word that could be read as several is in quotes, as JSON.
 * What a page or a terminal would show as one space is escaped (`\u0020`), so that no two commands look the same.
 */
export function commandLine(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  if (/^[^\s"'\\]+$/u.test(word)) return word;
  return JSON.stringify(word)
    .replaceAll(/ {2,}/gu, (run) => ` ${escaped(" ").repeat(run.length - 1)}`)
    .replaceAll(/[^\S ]/gu, escaped);
}

const escaped = (space: string) => `\\u${space.charCodeAt(0).toString(16).padStart(4, "0")}`;
