import { credentialsAt } from "./address-credentials.ts";
import { announcedValues, hintedValue } from "./hinted-values.ts";
import { pemBlocks, privateKeys, type PemBlock } from "./pem-blocks.ts";
import { isHash, looksRandom, MIN_TOKEN_LENGTH, readsAsWords } from "./randomness.ts";
import { findFormats, findMiddles } from "./secret-formats.ts";
import type { Span } from "./spans.ts";

/** Shortest run that can hold a key of a known format. */
const MIN_RUN_LENGTH = 16;
/** A longer run is data: a picture, a table, a program. It is still searched for keys of known formats. */
const MAX_RUN_LENGTH = 1024;
/** Most nested values that are judged: `a_token=b_token=c_token=…`. */
const MAX_NESTED_VALUES = 8;
/** How far before a token the start of its address is searched. */
const MAX_ADDRESS_LENGTH = 512;

/**
 * Finds what looks secret in a text without known secrets: keys of known formats, passwords in addresses, private keys,
 * values whose names say that they are secret, and tokens that look random. Except for private keys, a finding depends
 * only on the text before it and up to the next space.
 */
export function findUnknown(text: string): Span[] {
  const blocks = pemBlocks(text);
  const finding: Finding = { text, blocks, ranges: [], judged: { end: 0, times: 0 } };
  let runStart = -1;
  for (let at = 0; at <= text.length; at += 1) {
    const kind = at === text.length ? OTHER : kindOf(text.charCodeAt(at));
    if (kind === OTHER) {
      if (runStart !== -1 && at - runStart >= MIN_RUN_LENGTH) examineRun(finding, runStart, at);
      runStart = -1;
      continue;
    }
    if (runStart === -1) runStart = at;
    if (kind === SEPARATOR) examineSeparator(finding, at);
  }
  const ranges = [
    ...finding.ranges,
    ...findMiddles(text),
    ...announcedValues(text).filter(({ isSecret }) => isSecret),
  ];
  return [...ranges.map(({ start, end }) => ({ start, end, key: undefined })), ...privateKeys(text, blocks)];
}

interface Finding {
  text: string;
  blocks: readonly PemBlock[];
  ranges: { start: number; end: number }[];
  /** Where the last judged value ends, and how many values were judged up to there. */
  judged: { end: number; times: number };
}

/** Judges a `:` or `=`: part of an address, or between a name and its value. */
function examineSeparator({ text, ranges, judged }: Finding, at: number): void {
  if (text.charCodeAt(at) === 58 && text.charCodeAt(at + 1) === 47 && text.charCodeAt(at + 2) === 47) {
    const range = credentialsAt(text, at);
    if (range) ranges.push(range);
    return;
  }
  if (at < judged.end && judged.times >= MAX_NESTED_VALUES) return;
  const value = hintedValue(text, at);
  if (!value) return;
  judged.times = at < judged.end ? judged.times + 1 : 1;
  judged.end = Math.max(judged.end, value.end);
  if (value.isSecret) ranges.push({ start: value.start, end: value.end });
}

/** Judges a run of characters that keys consist of. */
function examineRun({ text, blocks, ranges }: Finding, start: number, end: number): void {
  ranges.push(...findFormats(text, start, end));
  if (end - start > MAX_RUN_LENGTH) return;
  for (const { start: from, end: to } of tokensOf(text, start, end)) {
    const token = text.slice(from, to);
    if (!mayBeRandom(token) || isPublic(text, from, token, blocks)) continue;
    for (const part of randomParts(token, text.charAt(from - 1))) {
      ranges.push({ start: from + part.start, end: from + part.end });
    }
  }
}

/** Returns the stretches of `A-Z a-z 0-9 _ + / -` of a run that are long enough, each with its `=` padding. */
function tokensOf(text: string, start: number, end: number): { start: number; end: number }[] {
  const tokens: { start: number; end: number }[] = [];
  let from = start;
  for (let at = start; at <= end; at += 1) {
    if (at < end && KINDS[text.charCodeAt(at)] === TOKEN) continue;
    if (at - from >= MIN_TOKEN_LENGTH) tokens.push({ start: from, end: at + paddingAt(text, at) });
    from = at + 1;
  }
  return tokens;
}

/** Returns the number of `=` at a place, if they are padding: nothing else follows. */
function paddingAt(text: string, at: number): number {
  return /^={1,2}(?![A-Za-z0-9=])/u.exec(text.slice(at, at + 3))?.[0].length ?? 0;
}

/** A cheap filter before the full checks. */
function mayBeRandom(token: string): boolean {
  return token.length >= MIN_TOKEN_LENGTH && /[0-9]/u.test(token) && /[g-zG-Z]/u.test(token);
}

/**
 * Prefixes of long random texts that are public: SSH public keys; pictures, fonts, programs and archives in base64;
 * checksums; identifiers with a type prefix.
 */
const PUBLIC_START =
  /^(?:AAAAB3NzaC1|AAAAC3NzaC1|AAAAE2VjZHNh|iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|PHN2Zy|AAABAA|d09G|AGFzbQ|UEsDB|H4sI|JVBER|sha(?:1|224|256|384|512)-|(?:call|toolu|srvtoolu|msg|resp|req|chatcmpl|run|thread|asst|file|user|org|wrkspc|proj|batch|evt|cus|acct|price|prod)[_-])/u;
/** Text before a checksum (of packages, of SSH keys), and before the data of a data URI. */
const PUBLIC_BEFORE = /(?:sha(?:1|224|256|384|512)[-:=]|;base64,|\bh1:|\bintegrity[=:" ]{1,4})$/iu;

function isPublic(text: string, at: number, token: string, blocks: readonly PemBlock[]): boolean {
  // Character ranges of a regular expression.
  if (/0-9|a-z|A-Z/u.test(token)) return true;
  if (PUBLIC_START.test(token) || PUBLIC_BEFORE.test(text.slice(Math.max(0, at - 16), at))) return true;
  const block = blockBefore(blocks, at);
  if (block && !block.isPrivate && at < block.bodyEnd) return true;
  return isInAddress(text, at);
}

/**
 * Returns the last block whose body begins at or before a place. Binary search, because a text may have thousands of
 * blocks.
 */
function blockBefore(blocks: readonly PemBlock[], at: number): PemBlock | undefined {
  let [from, to] = [0, blocks.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((blocks[middle]?.bodyStart ?? 0) <= at) from = middle + 1;
    else to = middle;
  }
  return blocks[from - 1];
}

/** Whether `://` precedes a place without anything between them that ends an address. */
function isInAddress(text: string, at: number): boolean {
  for (let before = at - 1; before > at - MAX_ADDRESS_LENGTH && before >= 2; before -= 1) {
    const code = text.charCodeAt(before);
    if (code <= 32 || code > 126 || ADDRESS_ENDS.has(code)) return false;
    if (code === 47 && text.charCodeAt(before - 1) === 47 && text.charCodeAt(before - 2) === 58) return true;
  }
  return false;
}

const ADDRESS_ENDS: ReadonlySet<number> = new Set(Array.from("\"'`<>(){}|\\", (end) => end.charCodeAt(0)));

/**
 * Returns the parts of a token that look random. Base64 may contain the characters that also join words; a token with a
 * word between two of them is a path or a name, and each of its parts is judged alone.
 */
function randomParts(token: string, before: string): { start: number; end: number }[] {
  const bare = token.replace(/=+$/u, "");
  const parts = splitAtJoints(bare);
  const isPath = before === "." && token.startsWith("/");
  if (!isPath && !parts.some(({ text }) => isJoined(text))) {
    return looksRandom(bare) ? [{ start: 0, end: token.length }] : [];
  }
  return parts.flatMap(({ text, start }) => (looksRandom(text) ? [{ start, end: start + text.length }] : []));
}

/** A word, a number or a hash: parts that names are joined from. */
function isJoined(part: string): boolean {
  if (part.length < 4) return false;
  if (isHash(part)) return part.length >= 8;
  return /^(?:[A-Z]?[a-z]+|[A-Z]+)$/u.test(part) && readsAsWords(part);
}

function splitAtJoints(token: string): { text: string; start: number }[] {
  return Array.from(token.matchAll(/[A-Za-z0-9]+/gu), ({ 0: text, index }) => ({ text, start: index }));
}

const OTHER = 0;
const SEPARATOR = 1;
const RUN = 2;
const TOKEN = 3;
/**
 * Kind of each ASCII character. A run consists of three kinds: `:` and `=`; `.`, `~` and `%`; the characters of tokens.
 */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9_+/-]/u.test(character)) return TOKEN;
  if (/[.~%]/u.test(character)) return RUN;
  return /[:=]/u.test(character) ? SEPARATOR : OTHER;
});

function kindOf(code: number): number {
  return code < 128 ? (KINDS[code] ?? OTHER) : OTHER;
}
