// Splits a document by its blocks: each piece is written for itself, so that its markup opens and closes within it.
import type { RenderedText } from "../channel.ts";
import { type Block, groupsOf, isVisible, type Run, sliceBlock, textOf } from "./document.ts";
import { graphemeCut } from "./graphemes.ts";
import { type Break, breakAfter, split, type Splittable } from "./split.ts";

export interface Target {
  /** Blocks as a message of the platform holds them. */
  write(blocks: readonly Block[]): RenderedText;
  fits(text: RenderedText): boolean;
  /** No message has more text than this, in UTF-16 units. */
  longest: number;
}

/** Blocks as messages within the limit, in order. */
export function splitBlocks(blocks: readonly Block[], target: Target): RenderedText[] {
  const short = blocks.map((block) => withShortLinks(block, target));
  return split(new Layout(short, target), target);
}

/** A link is in one piece. One that is too long for it is text. */
function withShortLinks(block: Block, target: Target): Block {
  if (block.runs.every(({ link }) => link === undefined)) return block;
  const runs: Run[] = groupsOf(block.runs).flatMap((group) => {
    const link = group[0]?.link;
    if (link === undefined || target.fits(target.write([{ ...block, runs: group }]))) return group;
    const address = link.isBare ? "" : ` (${link.url})`;
    return [...group, { text: address, styles: [] }].map((run) => ({ ...run, link: undefined }));
  });
  return { ...block, runs };
}

/** Blocks on one scale: each takes the length of its text and one more, for what separates it from the next. */
class Layout implements Splittable {
  readonly #blocks: readonly Placed[];
  readonly #target: Target;
  readonly end: number;

  constructor(blocks: readonly Block[], target: Target) {
    let start = 0;
    this.#blocks = blocks.map((block) => {
      const placed = { block, start, text: textOf(block.runs), links: linksOf(block) };
      start += placed.text.length + 1;
      return placed;
    });
    this.#target = target;
    this.end = start;
  }

  write(from: number, to: number): RenderedText | undefined {
    const blocks: Block[] = [];
    for (let place = this.#placeOf(from); place < this.#blocks.length; place += 1) {
      const { block, start, text } = this.#at(place);
      if (start >= to) break;
      const first = Math.max(0, from - start);
      if (first > 0 && first >= text.length) continue;
      const isWhole = first === 0 && to - start >= text.length;
      blocks.push(isWhole ? block : sliceBlock(block, first, to - start));
    }
    const written = this.#target.write(blocks);
    return isVisible(written.plain) ? written : undefined;
  }

  breakAt(at: number, from: number): Break | undefined {
    const place = this.#placeOf(at);
    const { block, start, text, links } = this.#at(place);
    const offset = at - start;
    if (offset === 0) {
      // A heading stays with what it is of.
      if (place > 0 && this.#at(place - 1).block.kind === "heading") return "space";
      return block.gap === "\n\n" ? "paragraph" : "line";
    }
    if (offset > text.length) return undefined;
    const kind = breakAfter(text.slice(Math.max(0, offset - 3), offset));
    if (kind === undefined || spanAround(links, offset) !== undefined) return undefined;
    const first = Math.max(0, from - start, offset - 64);
    if (text.charCodeAt(offset) > 0x2_ff && graphemeCut(text, first, offset) !== offset) return undefined;
    if (block.kind !== "code") return kind;
    return kind === "line" ? "code line" : "space";
  }

  hardCut(from: number, max: number): number {
    const { start, text, links } = this.#at(this.#placeOf(max));
    const link = spanAround(links, max - start);
    if (link !== undefined && start + link.start > from) return start + link.start;
    const cut = start + graphemeCut(text, Math.max(0, from - start), max - start);
    return Math.max(cut, from + 1);
  }

  /** The indentation of code is not left over. */
  skipBlank(at: number): number {
    if (at >= this.end) return at;
    const { block, start, text } = this.#at(this.#placeOf(at));
    let offset = at - start;
    if (offset === 0) return at;
    if (block.kind === "code") {
      if (text.charAt(offset) === "\n" && text.charAt(offset - 1) !== "\n") offset += 1;
    } else while (/\s/.test(text.charAt(offset))) offset += 1;
    return start + (offset >= text.length ? text.length + 1 : offset);
  }

  #at(place: number): Placed {
    const placed = this.#blocks[place];
    if (placed === undefined) throw new Error(`No block ${place}`);
    return placed;
  }

  /** The block that has a position. */
  #placeOf(at: number): number {
    let low = 0;
    for (let above = this.#blocks.length; above - low > 1;) {
      const middle = Math.floor((low + above) / 2);
      if (this.#at(middle).start <= at) low = middle;
      else above = middle;
    }
    return low;
  }
}

interface Span {
  start: number;
  end: number;
}

interface Placed {
  block: Block;
  start: number;
  text: string;
  links: readonly Span[];
}

function linksOf({ runs }: Block): Span[] {
  const spans: Span[] = [];
  let offset = 0;
  for (const group of groupsOf(runs)) {
    const end = offset + textOf(group).length;
    if (group[0]?.link !== undefined) spans.push({ start: offset, end });
    offset = end;
  }
  return spans;
}

/** The span that would be cut at an offset. */
function spanAround(spans: readonly Span[], offset: number): Span | undefined {
  let low = 0;
  let above = spans.length;
  while (low < above) {
    const middle = Math.floor((low + above) / 2);
    const span = spans[middle];
    if (span === undefined) break;
    if (offset <= span.start) above = middle;
    else if (offset >= span.end) low = middle + 1;
    else return span;
  }
  return undefined;
}
