import { entropyOf, isWordy, readsAsWords } from "./randomness.ts";
import { isPlaceholder, isSecretName } from "./secret-names.ts";

/** Most UTF-16 units of a name and of a value that are looked at. */
const MAX_NAME_LENGTH = 64;
const MAX_VALUE_LENGTH = 4096;
const MIN_VALUE_LENGTH = 8;
/** Least bits per character; half of what a value without a name needs. */
const MIN_ENTROPY = 2.5;

interface JudgedValue {
  start: number;
  end: number;
  isSecret: boolean;
}

/**
 * Returns the value after a `:` or `=` whose name says that it is secret, and whether the value is: `API_KEY=…`,
 * `"password": "…"`, `--token=…`. A value has no spaces, so that a text may be judged in pieces that end at a space.
 */
export function hintedValue(text: string, separator: number): JudgedValue | undefined {
  const name = nameBefore(text, separator);
  if (name === undefined || !isSecretName(name.text)) return undefined;
  const code = text.charCodeAt(separator + 1);
  // A comparison, an arrow or a scope: no value follows.
  if (code === EQUALS || code === GREATER || code === COLON) return undefined;
  const tight = separator === name.end && !isSpace(code);
  const isSetting = !/[a-z]/u.test(name.text) || name.text.startsWith("-") || /[?&]/u.test(name.before);
  return valueAt(text, separator + 1, { isSetting: tight && isSetting });
}

/** Words that announce a value: `Authorization: Bearer …`, `--password …`. */
const BEFORE_VALUE =
  /(?<![\w-])(?:(?:Bearer|Basic|bearer|basic)|--?(?:[a-z][a-z-]{0,30})?(?:token|password|passphrase|secret|key))[ \t]{1,4}/g;

/** Returns the values after such words. */
export function announcedValues(text: string): JudgedValue[] {
  return Array.from(text.matchAll(BEFORE_VALUE)).flatMap(({ 0: words, index }) => {
    const isFlag = words.startsWith("-");
    if (isFlag && !isSecretName(words.trim())) return [];
    return valueAt(text, index + words.length, { isSetting: isFlag, minLength: isFlag ? 8 : 12 });
  });
}

/** Whether a value may be secret, given that its name says so. */
export function isSecretValue(
  value: string,
  { isLiteral = true, minLength = MIN_VALUE_LENGTH } = {},
): boolean {
  if (value.length < minLength || value.length > MAX_VALUE_LENGTH) return false;
  if (isPlaceholder(value) || isWordy(value)) return false;
  if (/^[\d.,:_-]+$/u.test(value)) return false;
  // Secrets in addresses have their own rule; paths are not secret.
  if (/^(?:[a-z][a-z\d+.-]*:\/\/|\.{0,2}\/[\w.-]|~\/|@|data:)/iu.test(value) && isPathLike(value))
    return false;
  if (!isLiteral && isCode(value)) return false;
  return entropyOf(value) >= MIN_ENTROPY;
}

function isPathLike(value: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\/|^data:/iu.test(value) || isWordy(value, { mixed: true });
}

/** Source code rather than a value: a name, a member, a call (`req.body.password`, `token2`, `process.env.KEY!`). */
function isCode(value: string): boolean {
  if (/[$?!]?\.[A-Za-z_$]/u.test(value) && /^[\w$.?!]+$/u.test(value)) return true;
  if (!/^[A-Za-z_$][\w$]*$/u.test(value)) return false;
  const digits = value.replaceAll(/\D/gu, "").length;
  return digits < 2 || value.length < 12 || readsAsWords(value);
}

function valueAt(
  text: string,
  from: number,
  { isSetting, minLength = MIN_VALUE_LENGTH }: { isSetting: boolean; minLength?: number },
): JudgedValue {
  let start = from;
  while (start < from + 4 && isBlank(text.charCodeAt(start))) start += 1;
  while (start < from + 8 && text.charCodeAt(start) === BACKSLASH) start += 1;
  const quote = text.charCodeAt(start);
  const isQuoted = quote === DOUBLE || quote === SINGLE || quote === BACKTICK;
  if (isQuoted) start += 1;
  const stops = isQuoted ? QUOTED_STOPS : BARE_STOPS;
  let end = start;
  while (end < start + MAX_VALUE_LENGTH + 1 && isValueCode(text.charCodeAt(end), stops)) end += 1;
  // A call or an index follows: this is code.
  const next = text.charAt(end);
  const isCall = !isQuoted && (next === "(" || next === "[" || next === "{" || next === "<");
  const isLiteral = isQuoted || isSetting;
  const isSecret = !isCall && isSecretValue(text.slice(start, end), { isLiteral, minLength });
  return { start, end, isSecret };
}

/** Returns the name before a separator, where it ends, and the character before it. */
function nameBefore(
  text: string,
  separator: number,
): { text: string; end: number; before: string } | undefined {
  let end = separator;
  for (let spaces = 0; spaces < 3 && isBlank(text.charCodeAt(end - 1)); spaces += 1) end -= 1;
  // `"name" =`, `\"name\":`, `name?:`, `name:=`
  for (let marks = 0; marks < 4 && NAME_ENDS.has(text.charCodeAt(end - 1)); marks += 1) end -= 1;
  let start = end;
  while (start > end - MAX_NAME_LENGTH - 1 && isNameCode(text.charCodeAt(start - 1))) start -= 1;
  const length = end - start;
  // The name inside our own marker does not count.
  const before = text.charAt(start - 1);
  if (length < 2 || length > MAX_NAME_LENGTH || before === "«") return undefined;
  return { text: text.slice(start, end), end, before };
}

const EQUALS = 61;
const GREATER = 62;
const COLON = 58;
const BACKSLASH = 92;
const DOUBLE = 34;
const SINGLE = 39;
const BACKTICK = 96;
const NAME_ENDS = codesOf("\"'`\\]?:");
const QUOTED_STOPS = codesOf("\"'`\\");
const BARE_STOPS = codesOf("\"'`\\,;(){}[]<>|&");

function codesOf(characters: string): ReadonlySet<number> {
  return new Set(Array.from(characters, (character) => character.charCodeAt(0)));
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

function isSpace(code: number): boolean {
  return isBlank(code) || code === 10 || code === 13;
}

/** Printable ASCII without spaces. */
function isValueCode(code: number, stops: ReadonlySet<number>): boolean {
  return code > 32 && code < 127 && !stops.has(code);
}

function isNameCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46
  );
}
