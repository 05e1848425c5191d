/** Judges a text alone: is it random, or made of words? No context, no I/O. */

/** Neighbouring letters that make up 85 % of the pairs in English prose and program names, but 24 % of random ones. */
const COMMON_PAIRS = new Set(
  (
    "ab ac ad ag ai al am an ap ar as at au ba be bl bo ca ce ch ck cl co cr ct da de di do ds ea ec ed ee ef el em en ep er " +
    "es et ev ex fa fe fi fo fr ge gi ha he hi ho ht ic id ie ig il im in io ir is it je ke la ld le li ll lo ls lt lu ly ma " +
    "me mi mo mp na nc nd ne ng ni no ns nt ob oc od ol om on oo op or os ot ou ow pa pe pi pl po pp pr pt qu ra rc re ri rn " +
    "ro rr rs rt ry sa sc se sh si so sp ss st su ta te th ti to tr ts tt tu ty ue ul um un ur us ut va ve vi wh wi xp xt yp"
  )
    .split(" ")
    .map((pair) => pairIndex(pair.charCodeAt(0), pair.charCodeAt(1))),
);

/**
 * Share of common pairs from which letters read as words: two to three standard deviations from either distribution.
 */
const WORDLIKE_SHARE = 0.55;

/** Length from which a token may be recognised as a secret without a name. */
export const MIN_TOKEN_LENGTH = 20;
/** A longer token is data: credentials without a format of their own are shorter. */
const MAX_TOKEN_LENGTH = 512;
/** Least bits per character. 16 different characters of equal frequency have 4. */
const MIN_ENTROPY = 4;

/** Shannon entropy of the characters, in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<number, number>();
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Whether the letter pairs of a text are those of words. True for a text without two letters in a row. */
export function readsAsWords(text: string): boolean {
  const { pairs, common } = countPairs(text);
  return common >= pairs * WORDLIKE_SHARE;
}

/**
 * Whether a text consists of words and numbers: `my-app`, `us-east-1`, `2024-07-18`. With `mixed`, words may end in up
 * to two digits, and short mixtures count: `gpt-4o`, `es2022`.
 */
export function isWordy(text: string, { mixed = false }: { mixed?: boolean } = {}): boolean {
  const segments = text.split(/[^A-Za-z0-9]+/u);
  const isPlain = segments.every((segment) => {
    if (/^(?:[A-Za-z]+|[0-9]{0,8})$/u.test(segment)) return true;
    return mixed && (segment.length <= 3 || /^[A-Za-z]+[0-9]{1,2}$/u.test(segment));
  });
  return isPlain && (segments.every(({ length }) => length <= 4) || readsAsWords(text));
}

/**
 * Whether a token of `A-Z a-z 0-9 _ - + /` looks random: 20 to 512 characters, an entropy of at least 4 bits per
 * character, and both letters and digits; but not a hexadecimal hash, a UUID or words.
 */
export function looksRandom(token: string): boolean {
  if (token.length < MIN_TOKEN_LENGTH || token.length > MAX_TOKEN_LENGTH) return false;
  if (isHash(token)) return false;
  const { lower, upper, digits, changes } = countClasses(token);
  const letters = lower + upper;
  if (digits === 0 || letters === 0) return false;
  // Random text over 62 characters changes its character class at 62 of 100 places, over 36 characters at 40; names at
  // one of four.
  if (lower > 1 && upper > 1) {
    if (changes < token.length * 0.3) return false;
    // `MySqlBigInt53Builder`: words have three letters or more; random ones have two.
    if (letters >= 3 * countWordBeginnings(token)) return false;
  } else if (token.length < 24 || digits < 4 || changes < token.length * 0.25 || digits > letters * 1.5) {
    return false;
  }
  const { pairs, common } = countPairs(token);
  if (pairs > 0 && common >= pairs * WORDLIKE_SHARE) return false;
  return entropyOf(token) >= MIN_ENTROPY;
}

/** Whether a text is a hexadecimal number or a UUID: identifiers and checksums, which are common and not secret. */
export function isHash(text: string): boolean {
  return (
    /^(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)$/u.test(text) ||
    /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(text)
  );
}

function countPairs(text: string): { pairs: number; common: number } {
  let pairs = 0;
  let common = 0;
  for (let at = 1; at < text.length; at += 1) {
    const first = text.charCodeAt(at - 1) | 32;
    const second = text.charCodeAt(at) | 32;
    if (first < 97 || first > 122 || second < 97 || second > 122) continue;
    pairs += 1;
    if (COMMON_PAIRS.has(pairIndex(first, second))) common += 1;
  }
  return { pairs, common };
}

function pairIndex(first: number, second: number): number {
  return (first - 97) * 26 + second - 97;
}

/** Counts the beginnings of words: capitals, and small letters with no letter before them. */
function countWordBeginnings(text: string): number {
  return text.match(/[A-Z]|(?<![A-Za-z])[a-z]/gu)?.length ?? 0;
}

function countClasses(text: string): { lower: number; upper: number; digits: number; changes: number } {
  const counts = [0, 0, 0, 0];
  let changes = 0;
  let before = -1;
  for (let at = 0; at < text.length; at += 1) {
    const own = classOf(text.charCodeAt(at));
    counts[own] = (counts[own] ?? 0) + 1;
    if (before !== -1 && own !== before) changes += 1;
    before = own;
  }
  const [lower = 0, upper = 0, digits = 0] = counts;
  return { lower, upper, digits, changes };
}

function classOf(code: number): 0 | 1 | 2 | 3 {
  if (code >= 97 && code <= 122) return 0;
  if (code >= 65 && code <= 90) return 1;
  return code >= 48 && code <= 57 ? 2 : 3;
}
