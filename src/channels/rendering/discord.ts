// Discord reads Markdown itself: what an agent wrote is sent as it is, and only split.
import type { Nodes } from "mdast";
import type { RenderedText, TextLimit } from "../channel.ts";
import { isCostly } from "./cost.ts";
import { isVisible } from "./document.ts";
import { graphemeCut } from "./graphemes.ts";
import { isWithin } from "../text-limit.ts";
import { type Break, breakAfter, split, type Splittable } from "./split.ts";
import { normalized, parseMarkdown } from "./tree.ts";

const LIMIT: TextLimit = { max: 2_000, unit: "code points" };
/** Markup that is longer is cut like text, so that it cannot fill a message. */
const MAX_WHOLE = 1_500;
const MAX_FENCE_LINE = 100;
const QUOTE = "> ";

const WHOLE = new Set(["link", "linkReference", "image", "imageReference", "footnoteReference"]);

/** Markup that goes on over a cut: it is closed before, and opened again after. */
interface Wrap {
  start: number;
  end: number;
  open: string;
  close: string;
  /** Of code in a quotation or a list: what each of its lines begins with. */
  line: string | undefined;
}

/** An agent's Markdown as Discord's messages. Discord refuses no markup, so that the plain text is the same. */
export function discordTexts(markdown: string): readonly RenderedText[] {
  return split(new Source(normalized(markdown).trimEnd()), {
    fits: ({ markup }) => isWithin(LIMIT, markup),
    longest: LIMIT.max * 2,
  });
}

class Source implements Splittable {
  readonly #source: string;
  readonly #wraps: Wrap[] = [];
  /** Offsets that are within a marker, a link, or a line that begins or ends a block of code. */
  readonly #uncut: Uint8Array;
  readonly end: number;

  constructor(source: string) {
    this.#source = source;
    this.end = source.length;
    this.#uncut = new Uint8Array(source.length + 1);
    if (isCostly(source)) return;
    const open: Nodes[] = [parseMarkdown(source)];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const start = node.position?.start.offset;
      const end = node.position?.end.offset;
      if (start !== undefined && end !== undefined) this.#read(node, start, end);
      if ("children" in node) open.push(...node.children.toReversed());
    }
  }

  write(from: number, to: number): RenderedText | undefined {
    const slice = this.#source.slice(from, to);
    const opened = this.#wraps.filter((wrap) => wrap.start < from && from < wrap.end);
    const closed = this.#wraps
      .filter((wrap) => wrap.start < to && to < wrap.end && wrap.close !== "")
      .toReversed();
    const isInCode = closed.some(({ line }) => line !== undefined);
    const code = opened.find(({ line }) => line !== undefined);
    if (slice.trim() === "" || (code === undefined && !isVisible(slice))) return undefined;
    const isMidLine = from > 0 && this.#source.charAt(from - 1) !== "\n";
    const before =
      code === undefined
        ? opened.map(({ open }) => (isMidLine || open !== QUOTE ? open : "")).join("")
        : code.open + (isMidLine ? code.line : "");
    const after = closed.map(({ close }) => close).join("");
    const markup = before + (isInCode ? slice.replace(/\n+$/, "") : slice.trimEnd()) + after;
    return { markup, plain: markup };
  }

  breakAt(at: number, from: number): Break | undefined {
    if (at >= this.end || this.#uncut[at] === 1) return undefined;
    const kind = breakAfter(this.#source.slice(Math.max(0, at - 3), at));
    if (kind === undefined) return undefined;
    if (
      this.#source.charCodeAt(at) > 0x2_ff &&
      graphemeCut(this.#source, Math.max(from, at - 64), at) !== at
    ) {
      return undefined;
    }
    if (kind !== "line") return kind;
    if (this.#isInCode(at)) return "code line";
    return this.#source.charAt(at - 2) === "\n" ? "paragraph" : "line";
  }

  hardCut(from: number, max: number): number {
    let whole = max;
    while (whole > from && this.#uncut[whole] === 1) whole -= 1;
    if (whole > from && whole < max) return whole;
    // Neither a character reference nor an escape is cut.
    const last = /&#?\w{0,31}$|\\$/.exec(this.#source.slice(Math.max(from + 1, max - 32), max));
    const end = last !== null && last[0].length < max - from - 1 ? max - last[0].length : max;
    return Math.max(graphemeCut(this.#source, from, end), from + 1);
  }

  skipBlank(at: number): number {
    const isInCode = this.#isInCode(at);
    if (isInCode)
      return this.#source.charAt(at) === "\n" && this.#source.charAt(at - 1) !== "\n" ? at + 1 : at;
    let next = at;
    while (/\s/.test(this.#source.charAt(next))) next += 1;
    // The indentation of a nested list stays.
    return Math.max(at, next < this.end ? this.#source.lastIndexOf("\n", next - 1) + 1 : next);
  }

  #isInCode(at: number): boolean {
    return this.#wraps.some(({ start, end, line }) => line !== undefined && start < at && at < end);
  }

  #read(node: Nodes, start: number, end: number): void {
    if (node.type === "code") this.#readCode(start, end);
    else if (node.type === "emphasis") this.#wrap(start, end, this.#source.charAt(start));
    else if (node.type === "strong" || node.type === "delete") {
      this.#wrap(start, end, this.#source.slice(start, start + 2));
    } else if (node.type === "inlineCode") {
      this.#wrap(start, end, /^`+/.exec(this.#source.slice(start, end))?.[0] ?? "");
    } else if (node.type === "blockquote") {
      this.#wraps.push({ start, end, open: QUOTE, close: "", line: undefined });
    } else if (WHOLE.has(node.type) && end - start <= MAX_WHOLE) this.#uncut.fill(1, start + 1, end);
  }

  /** A style: its marker is before and after. */
  #wrap(start: number, end: number, marker: string): void {
    this.#wraps.push({ start, end, open: marker, close: marker, line: undefined });
    this.#uncut.fill(1, start + 1, start + marker.length + 1);
    this.#uncut.fill(1, end - marker.length, end);
  }

  /** A block of code between fences. One that is only indented has nothing to close. */
  #readCode(start: number, end: number): void {
    const text = this.#source.slice(start, end);
    const [first = ""] = text.split("\n", 1);
    const [, fence, info = ""] = /^(`{3,20}(?!`)|~{3,20}(?!~))\s*([\w+#.-]{0,40})/.exec(first) ?? [];
    if (fence === undefined) return;
    const last = text.lastIndexOf("\n");
    const isClosed = last > 0 && new RegExp(`^[>\\s]*${fence}[\`~]*\\s*$`).test(text.slice(last + 1));
    // Before the fence, on its line: the signs of a quotation, and the indentation of a list item.
    const line = this.#source
      .slice(this.#source.lastIndexOf("\n", start - 1) + 1, start)
      .replaceAll(/[^>\s]/g, " ");
    this.#wraps.push({
      start,
      end: isClosed ? end : Number.POSITIVE_INFINITY,
      open: `${line}${fence}${info}\n`,
      close: `\n${line}${fence}`,
      line,
    });
    if (first.length <= MAX_FENCE_LINE) this.#uncut.fill(1, start + 1, start + first.length + 2);
    if (isClosed) this.#uncut.fill(1, start + last, end);
  }
}
