import { credentialsAt } from "./address-credentials.ts";
import { announcedValues, hintedValue } from "./hinted-values.ts";
import { pemBlocks, privateKeys, type PemBlock } from "./pem-blocks.ts";
import { isHash, looksRandom, MIN_TOKEN_LENGTH, readsAsWords } from "./randomness.ts";
import { findFormats, findMiddles } from "./secret-formats.ts";
import type { Span } from "./spans.ts";

/** Shorter runs hold no key of a known format. */
const MIN_RUN_LENGTH = 16;
/** A longer one is data: a picture, a table, a program. Keys of a known format are looked for all the same. */
const MAX_RUN_LENGTH = 1024;
/** How many values that begin in one another are judged: `a_token=b_token=c_token=…`. */
const MAX_NESTED_VALUES = 8;
/** How far before a token the beginning of its address is looked for. */
const MAX_ADDRESS_LENGTH = 512;

/**
 * What looks secret in a text of which nothing is known: keys of known formats, passwords in addresses, private keys, values
 * of names that say so, and tokens that look random. What is found depends only on what is before it and on the text up to the
 * next space, private keys excepted.
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
  /** Where the last value that was judged ends, and how many were judged up to there. */
  judged: { end: number; times: number };
}

/** At a `:` or `=`: an address, or a name and its value. */
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

/** A run of characters that keys consist of. */
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

/** The stretches of `A-Z a-z 0-9 _ + / -` of a run that are long enough, each with the `=` that may fill it up. */
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

/** How many `=` are here that nothing follows. */
function paddingAt(text: string, at: number): number {
  return /^={1,2}(?![A-Za-z0-9=])/u.exec(text.slice(at, at + 3))?.[0].length ?? 0;
}

/** A cheap look before the others. */
function mayBeRandom(token: string): boolean {
  return token.length >= MIN_TOKEN_LENGTH && /[0-9]/u.test(token) && /[g-zG-Z]/u.test(token);
}

/**
 * Beginnings of what is long and random and for everybody: SSH keys; pictures, fonts, programs and archives in base64;
 * checksums; identifiers that say what they identify.
 */
const PUBLIC_START =
  /^(?:AAAAB3NzaC1|AAAAC3NzaC1|AAAAE2VjZHNh|iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|PHN2Zy|AAABAA|d09G|AGFzbQ|UEsDB|H4sI|JVBER|sha(?:1|224|256|384|512)-|(?:call|toolu|srvtoolu|msg|resp|req|chatcmpl|run|thread|asst|file|user|org|wrkspc|proj|batch|evt|cus|acct|price|prod)[_-])/u;
/** What is before a checksum (of packages, of SSH keys), and before the data of an address. */
const PUBLIC_BEFORE = /(?:sha(?:1|224|256|384|512)[-:=]|;base64,|\bh1:|\bintegrity[=:" ]{1,4})$/iu;

function isPublic(text: string, at: number, token: string, blocks: readonly PemBlock[]): boolean {
  // Ranges of a regular expression.
  if (/0-9|a-z|A-Z/u.test(token)) return true;
  if (PUBLIC_START.test(token) || PUBLIC_BEFORE.test(text.slice(Math.max(0, at - 16), at))) return true;
  const block = blockBefore(blocks, at);
  if (block && !block.isPrivate && at < block.bodyEnd) return true;
  return isInAddress(text, at);
}

/** The last block whose body begins at a place or before it; searched by halves, since a text may have thousands. */
function blockBefore(blocks: readonly PemBlock[], at: number): PemBlock | undefined {
  let [from, to] = [0, blocks.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((blocks[middle]?.bodyStart ?? 0) <= at) from = middle + 1;
    else to = middle;
  }
  return blocks[from - 1];
}

/** Whether `://` stands before a place, and nothing that ends an address between them. */
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
 * The parts of a token that look random. Base64 may hold any of the characters that also join words; a token with a word
 * between two of them is a path or a name, of which each part is judged alone.
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

/** A word, a number or a hash: what is joined to others in names. */
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
/** Of each ASCII character. A run consists of all three kinds: `:` and `=`; `.`, `~` and `%`; what tokens consist of. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9_+/-]/u.test(character)) return TOKEN;
  if (/[.~%]/u.test(character)) return RUN;
  return /[:=]/u.test(character) ? SEPARATOR : OTHER;
});

function kindOf(code: number): number {
  return code < 128 ? (KINDS[code] ?? OTHER) : OTHER;
}
