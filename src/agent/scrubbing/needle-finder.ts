import type { Needle } from "./needles.ts";
import type { Span } from "./spans.ts";

export interface Found {
  spans: Span[];
  /**
   * Length of the end of the text that may be the beginning of a needle, or part of a match that later text may undo.
   */
  pending: number;
}

/** Bits of a hash of three characters. */
const FILTER_BITS = 16;
const FILTER_MASK = (1 << FILTER_BITS) - 1;
/** Shorter needles would match by chance, and the filter needs this many characters. */
const SHORTEST = 3;

/**
 * Finds many texts in one pass (Aho and Corasick, 1975): the work is linear in the length of the text, also for
 * hostile texts and needles. A filter of three characters skips places where no needle begins; this makes it fast.
 */
export class NeedleFinder {
  readonly #needles: readonly Needle[];
  /** Class of each character that occurs in needles, numbered from 1; 0 is any other character. */
  readonly #classes: Uint16Array;
  readonly #filter: Uint8Array;
  /** Transitions: the key is `node * width + class`, the value the next node. Node 0 is the root. */
  readonly #edges = new Map<number, number>();
  #width = 1;
  /** For each node, the node of its text's longest proper suffix that is also a prefix of a needle. */
  readonly #fail: number[] = [0];
  readonly #depth: number[] = [0];
  /** Index of the needle that ends at a node; -1 for none. */
  readonly #needleAt: number[] = [-1];
  /** The nearest node on the chain of `fail` links, itself included, at which a needle ends; 0 for none. */
  readonly #ends: number[] = [0];

  constructor(needles: readonly Needle[]) {
    this.#needles = needles.filter(({ text }) => text.length >= SHORTEST);
    // Most tasks have no secret to look for, and the tables take 192 KiB.
    const hasNeedles = this.#needles.length > 0;
    this.#classes = new Uint16Array(hasNeedles ? 0x10000 : 0);
    this.#filter = new Uint8Array(hasNeedles ? 1 << FILTER_BITS : 0);
    for (const { text } of this.#needles) this.#number(text);
    const children = this.#grow();
    this.#link(children);
  }

  find(text: string): Found {
    const spans: Span[] = [];
    if (this.#needles.length === 0) return { spans, pending: 0 };
    const filter = this.#filter;
    const classes = this.#classes;
    const last = text.length - SHORTEST;
    let node = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (node === 0 && at <= last) {
        const hash = hashOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
        if (filter[hash] === 0) continue;
      }
      node = this.#step(node, classes[text.charCodeAt(at)] ?? 0);
      node = this.#drop(node, text, at, last);
      if (node !== 0) this.#report(node, text, at + 1, spans);
    }
    return { spans, pending: this.#depth[node] ?? 0 };
  }

  #step(from: number, character: number): number {
    let node = from;
    if (character === 0) return 0;
    for (;;) {
      const next = this.#edges.get(node * this.#width + character);
      if (next !== undefined) return next;
      if (node === 0) return 0;
      node = this.#fail[node] ?? 0;
    }
  }

  /**
   * Drops a partial match of one or two characters unless the third character fits a needle too: many needles share
   * short prefixes.
   */
  #drop(from: number, text: string, at: number, last: number): number {
    let node = from;
    for (;;) {
      const depth = this.#depth[node] ?? 0;
      const start = at + 1 - depth;
      if (depth === 0 || depth >= SHORTEST || start > last) return node;
      const hash = hashOf(text.charCodeAt(start), text.charCodeAt(start + 1), text.charCodeAt(start + 2));
      if (this.#filter[hash] === 1) return node;
      node = this.#fail[node] ?? 0;
    }
  }

  #report(node: number, text: string, end: number, spans: Span[]): void {
    for (let each = this.#ends[node] ?? 0; each !== 0; each = this.#ends[this.#fail[each] ?? 0] ?? 0) {
      const needle = this.#needles[this.#needleAt[each] ?? -1];
      if (!needle) return;
      const start = end - needle.text.length;
      if (needle.alone && !standsAlone(text, start, end)) continue;
      spans.push({ start: start + needle.kept, end, key: needle.key });
      // The other needles that end here are parts of this one.
      if (needle.kept === 0) return;
    }
  }

  #number(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#classes[code] !== 0) continue;
      this.#classes[code] = this.#width;
      this.#width += 1;
    }
    this.#filter[hashOf(text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2))] = 1;
  }

  /** Builds the tree of all needles. Returns for each node its parent and the character that leads to it. */
  #grow(): { parent: number; character: number }[] {
    const reached = [{ parent: 0, character: 0 }];
    for (const [index, { text }] of this.#needles.entries()) {
      let node = 0;
      for (let at = 0; at < text.length; at += 1) {
        const character = this.#classes[text.charCodeAt(at)] ?? 0;
        const edge = node * this.#width + character;
        let next = this.#edges.get(edge);
        if (next === undefined) {
          next = reached.length;
          this.#edges.set(edge, next);
          reached.push({ parent: node, character });
          this.#depth.push(at + 1);
          this.#needleAt.push(-1);
        }
        node = next;
      }
      this.#needleAt[node] = index;
    }
    return reached;
  }

  #link(reached: readonly { parent: number; character: number }[]): void {
    const byDepth = reached
      .map((_, node) => node)
      .toSorted((a, b) => (this.#depth[a] ?? 0) - (this.#depth[b] ?? 0));
    for (const node of byDepth) {
      const { parent, character } = reached[node] ?? { parent: 0, character: 0 };
      const fail = parent === 0 ? 0 : this.#step(this.#fail[parent] ?? 0, character);
      this.#fail[node] = fail;
      this.#ends[node] = this.#needleAt[node] === -1 ? (this.#ends[fail] ?? 0) : node;
    }
  }
}

function hashOf(first: number, second: number, third: number): number {
  return (first * 961 + second * 31 + third) & FILTER_MASK;
}

function standsAlone(text: string, start: number, end: number): boolean {
  return (
    !(isWordAt(text, start - 1) && isWordAt(text, start)) && !(isWordAt(text, end) && isWordAt(text, end - 1))
  );
}

function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
  );
}
