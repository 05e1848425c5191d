/** Reads `.env` files: their settings, and which file names count as such files. */

/** A name and its value in a file. */
export interface Setting {
  name: string;
  value: string;
}

/** Most settings read from one file. */
const MAX_SETTINGS = 500;

const LINE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]{0,127})[ \t]*[=:][ \t]*/u;

/**
 * Whether a file name, without its directory, is that of a settings file: `.env`, `.env.local`, `staging.env`,
 * `.dev.vars`, `.envrc`.
 */
export function isEnvFile(name: string): boolean {
  return /^(?:\.env(?:rc|\.[\w.-]+)?|[\w-]{1,64}\.env|\.dev\.vars(?:\.[\w-]+)?)$/u.test(name);
}

/**
 * Parses the settings of a file in dotenv's format: `NAME=value`, quoted or not, over several lines where quoted.
 * Escapes in double quotes are decoded, references such as `${HOST}` are not expanded. A repeated name keeps all its
 * values.
 */
export function parseEnvFile(text: string): Setting[] {
  const settings: Setting[] = [];
  const lines = text.split(/\r\n|\r|\n/u);
  for (let at = 0; at < lines.length && settings.length < MAX_SETTINGS; at += 1) {
    const line = lines[at] ?? "";
    const begin = LINE.exec(line);
    const name = begin?.[1];
    if (!begin || name === undefined) continue;
    const rest = line.slice(begin[0].length);
    const quoted = quotedValue(rest, lines, at);
    if (quoted) at = quoted.lastLine;
    const value = quoted ? quoted.value : (rest.split(/\s#/u)[0] ?? "").trim();
    if (value !== "") settings.push({ name, value });
  }
  return settings;
}

/** Returns a quoted value, which may end on a later line; undefined where there is no quote or it does not end. */
function quotedValue(
  rest: string,
  lines: readonly string[],
  first: number,
): { value: string; lastLine: number } | undefined {
  const quote = rest.charAt(0);
  if (quote !== '"' && quote !== "'" && quote !== "`") return undefined;
  let value = rest.slice(1);
  // No key is longer than some hundred lines; without this bound, unterminated quotes would be scanned again and again.
  for (let last = first; last < first + 200; last += 1) {
    const end = endOfQuotes(value, quote);
    if (end !== -1) {
      const inside = value.slice(0, end);
      return { value: quote === '"' ? unescaped(inside) : inside, lastLine: last };
    }
    const next = lines[last + 1];
    if (next === undefined) return undefined;
    value += `\n${next}`;
  }
  return undefined;
}

function endOfQuotes(value: string, quote: string): number {
  for (let at = value.indexOf(quote); at !== -1; at = value.indexOf(quote, at + 1)) {
    if (quote !== '"' || value.charAt(at - 1) !== "\\") return at;
  }
  return -1;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([nrt"\\])/gu, (_, escape: string) => ESCAPES[escape] ?? escape);
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
