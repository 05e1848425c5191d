/**
 * Finds one text in another in linear time (Knuth, Morris and Pratt, 1977). `String.indexOf` takes the product of both
 * lengths for texts such as `aaab aaa` in `aaaa…`: hours for 1 MiB in 4 MiB.
 */
export class OccurrenceFinder {
  readonly #text: string;
  readonly #wanted: string;
  /** For each prefix length of the wanted text, the length of its longest proper suffix that is also a prefix. */
  readonly #borders: Uint32Array | undefined;

  constructor(text: string, wanted: string) {
    this.#text = text;
    this.#wanted = wanted;
    this.#borders = wanted.length > SHORT_CHARS ? bordersOf(wanted) : undefined;
  }

  /** Returns where the next occurrence begins, at or after `from`; -1 for none. */
  next(from: number): number {
    const borders = this.#borders;
    const [text, wanted] = [this.#text, this.#wanted];
    if (!borders) return text.indexOf(wanted, from);
    let matched = 0;
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched] ?? 0;
      if (wanted.charCodeAt(matched) === code) matched += 1;
      if (matched === wanted.length) return at + 1 - matched;
    }
    return -1;
  }
}

/** Up to this length `indexOf` is fast enough even in its worst case. */
const SHORT_CHARS = 32;

function bordersOf(wanted: string): Uint32Array {
  const borders = new Uint32Array(wanted.length + 1);
  let matched = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    const code = wanted.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched] ?? 0;
    if (wanted.charCodeAt(matched) === code) matched += 1;
    borders[at + 1] = matched;
  }
  return borders;
}
