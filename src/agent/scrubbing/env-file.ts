/** Reads `.env` files: what they give names to, and which files are such. */

/** A name and what a file says it is. */
export interface Setting {
  name: string;
  value: string;
}

/** Of one file; more is not read. */
const MAX_SETTINGS = 500;

const LINE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]{0,127})[ \t]*[=:][ \t]*/u;

/** Whether a name, without its directory, is that of a file of settings: `.env`, `.env.local`, `staging.env`, `.dev.vars`, `.envrc`. */
export function isEnvFile(name: string): boolean {
  return /^(?:\.env(?:rc|\.[\w.-]+)?|[\w-]{1,64}\.env|\.dev\.vars(?:\.[\w-]+)?)$/u.test(name);
}

/**
 * The settings of a file in the form that dotenv reads: `NAME=value`, quoted or not, over several lines where quoted.
 * Escapes in double quotes are undone, references such as `${HOST}` are not. A name that is given twice has both values.
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

/** A value in quotes, which may end on a later line; undefined where none is or it does not end. */
function quotedValue(
  rest: string,
  lines: readonly string[],
  first: number,
): { value: string; lastLine: number } | undefined {
  const quote = rest.charAt(0);
  if (quote !== '"' && quote !== "'" && quote !== "`") return undefined;
  let value = rest.slice(1);
  // No key is longer than some hundred lines; without a bound, quotes that do not end would be looked at again and again.
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
