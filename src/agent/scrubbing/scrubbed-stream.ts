import { findUnknown } from "./find-unknown.ts";
import { pemBlocks } from "./pem-blocks.ts";
import type { KnownSecrets } from "./scrub.ts";
import { joinSpans, replaceSpans, type Span } from "./spans.ts";

/** Length of the released text by which later text is judged: names, announcing words, neighbours. */
const CONTEXT_LENGTH = 160;
/** A longer word is released as judged so far; except for private keys, no key is that long. */
const MAX_HELD = 16 * 1024;

/**
 * Scrubs a text that arrives in pieces. The output is, in total, what `scrubText` returns for the whole text, wherever
 * it was cut. It holds back the last word until a space or a non-ASCII character follows, a possible beginning of a
 * known secret, and a private key until its last line. Terminal colours are not skipped, because models do not write
 * them.
 */
export class ScrubbedStream {
  readonly #known: KnownSecrets;
  /** End of the released text, before scrubbing. */
  #context = "";
  #held = "";
  /** Name of the secret with which the released text ended. */
  #lastKey: { key: string | undefined } | undefined;

  constructor(known: KnownSecrets) {
    this.#known = known;
  }

  /** Takes the next piece and returns what may be shown now, which may be empty. */
  push(piece: string): string {
    this.#held += piece;
    // Without a place to cut, nothing can be released.
    if (!CUTTABLE.test(piece) && this.#held.length < MAX_HELD) return "";
    return this.#letGo(false);
  }

  /** Returns the rest at the end of the text. The stream can then be used for another text. */
  end(): string {
    const rest = this.#letGo(true);
    this.#context = "";
    this.#lastKey = undefined;
    return rest;
  }

  #letGo(all: boolean): string {
    const text = this.#context + this.#held;
    const shown = this.#context.length;
    const { spans: known, pending } = this.#known.finder.find(text);
    const spans = joinSpans([...known, ...findUnknown(text)]).filter(({ end }) => end > shown);
    const to = all ? text.length : Math.max(shown, cutOf(text, spans, pending));
    if (to === shown) return "";
    const inside = spans.filter(({ start }) => start < to).map((span) => clip(span, shown, to));
    const moved = inside.map(({ start, end, key }) => ({ start: start - shown, end: end - shown, key }));
    const out = this.#withoutRepeat(text.slice(shown, to), moved);
    this.#held = text.slice(to);
    this.#context = contextOf(text.slice(0, to));
    return out;
  }

  /** Drops a repeated marker: a secret that was cut into two parts is shown once. */
  #withoutRepeat(text: string, spans: readonly Span[]): string {
    const [first] = spans;
    const last = this.#lastKey;
    const goesOn = first !== undefined && first.start === 0 && last !== undefined && last.key === first.key;
    const final = spans.at(-1);
    this.#lastKey = final?.end === text.length ? { key: final.key } : undefined;
    if (!goesOn) return replaceSpans(text, spans);
    const rest = spans
      .slice(1)
      .map(({ start, end, key }) => ({ start: start - first.end, end: end - first.end, key }));
    return replaceSpans(text.slice(first.end), rest);
  }
}

const CUTTABLE = /[^!-~]/u;

/** Returns the position up to which no later text can change what is shown. */
function cutOf(text: string, spans: readonly Span[], pending: number): number {
  const released = text.length < MAX_HELD ? lastWordIn(text) : text.length;
  let cut = Math.min(released, text.length - pending);
  const open = pemBlocks(text).at(-1);
  if (
    open?.isPrivate &&
    !open.isClosed &&
    open.bodyEnd === text.length &&
    text.length - open.start < MAX_HELD
  ) {
    cut = Math.min(cut, open.bodyStart);
  }
  const across = spans.find(({ start, end }) => start < cut && end > cut);
  return across && text.length < MAX_HELD ? across.start : cut;
}

/** Returns where the word begins with which a text ends: at most `MAX_HELD` before the end, and at the end if there is none. */
function lastWordIn(text: string): number {
  const furthest = Math.max(0, text.length - MAX_HELD);
  let start = text.length;
  while (start > furthest && isInWord(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

/** Printable ASCII without the space. */
function isInWord(code: number): boolean {
  return code > 32 && code < 127;
}

function clip({ start, end, key }: Span, from: number, to: number): Span {
  return { start: Math.max(start, from), end: Math.min(end, to), key };
}

/**
 * Returns the end of a text, preceded by the first line of a PEM block that is still open, by which its body is judged. A
 * word that goes on is kept from its beginning: a part of it can look like a secret though the whole does not.
 */
function contextOf(text: string): string {
  const from = Math.max(0, Math.min(lastWordIn(text), text.length - CONTEXT_LENGTH));
  const open = pemBlocks(text).at(-1);
  const isCut = open && !open.isClosed && open.bodyEnd === text.length && open.start < from;
  return isCut ? `-----BEGIN ${open.label}-----\n${text.slice(from)}` : text.slice(from);
}
