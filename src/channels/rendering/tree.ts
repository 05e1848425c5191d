// Parses an agent's Markdown into blocks.
import type { Nodes, Paragraph, PhrasingContent, RootContent, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { type Block, isVisible, type Run, type Style, textOf } from "./document.ts";
import { isCostly } from "./cost.ts";
import { tableText } from "./table.ts";

/** Containers and styles may nest this deep; what is deeper is shown as it was written. */
const MAX_DEPTH = 30;
/** Indentation of a deeply nested list, in characters: what is deeper gets no more. */
const MAX_INDENT = 24;
const RULE = "────────";

/** One tilde is no strikethrough: models write "~5" for "about 5". */
const GITHUB_FLAVORED = { extensions: [gfm({ singleTilde: false })], mdastExtensions: [gfmFromMarkdown()] };

/** The tree of a document. */
export function parseMarkdown(markdown: string): Nodes {
  return fromMarkdown(markdown, GITHUB_FLAVORED);
}

/** Line ends as `\n`, and no half of a surrogate pair. */
export function normalized(markdown: string): string {
  return markdown.replaceAll(/\r\n?/g, "\n").toWellFormed();
}

/** What a document says, in order. */
export function blocksOf(markdown: string): Block[] {
  const source = normalized(markdown);
  if (isCostly(source)) return literal(source);
  return new Reader(source).read();
}

/** A document whose markup would take too long to parse, as the paragraphs that it was written in. */
function literal(source: string): Block[] {
  return source
    .split(/\n(?:[ \t]*\n)+/)
    .filter(isVisible)
    .map((text) => ({
      kind: "text",
      runs: [{ text, styles: [], link: undefined }],
      language: undefined,
      quote: undefined,
      marker: "",
      indent: "",
      gap: "\n\n",
    }));
}

/** Where a node is. */
interface Context {
  quote: number | undefined;
  indent: string;
  depth: number;
}

class Reader {
  readonly #source: string;
  readonly #blocks: Block[] = [];
  readonly #addresses = new Map<string, string>();
  #quotes = 0;
  /** Of the block that comes next. */
  #marker: string | undefined;
  #gap: Block["gap"] = "\n\n";

  constructor(source: string) {
    this.#source = source;
  }

  read(): Block[] {
    const root = parseMarkdown(this.#source);
    this.#readAddresses(root);
    if ("children" in root) {
      this.#flow(root.children as RootContent[], { quote: undefined, indent: "", depth: 0 }, "\n\n");
    }
    return this.#blocks;
  }

  /** Of `[label]: address` lines, which may follow what refers to them. The first of a label counts. */
  #readAddresses(root: Nodes): void {
    const open: Nodes[] = [root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.type === "definition") this.#addresses.set(node.identifier, node.url);
      // A stack visits the last child first, so that the first definition of a label is set last.
      if ("children" in node && node.type !== "paragraph")
        for (const child of node.children) open.push(child);
    }
  }

  #flow(nodes: readonly RootContent[], context: Context, gap: Block["gap"]): void {
    for (const [place, node] of nodes.entries()) {
      if (place > 0) this.#gap = gap;
      this.#block(node, context);
    }
  }

  #block(node: RootContent, context: Context): void {
    if (context.depth > MAX_DEPTH) {
      this.#push(context, "text", [plainRun(this.#sourceOf(node))]);
      return;
    }
    const inner = { ...context, depth: context.depth + 1 };
    switch (node.type) {
      case "heading":
        this.#push(context, "heading", this.#phrasing(node.children, ["bold"], 0));
        return;
      case "code": {
        const language = /^[\w+#.-]{1,40}$/.test(node.lang ?? "") ? (node.lang ?? undefined) : undefined;
        this.#push(context, "code", [plainRun(node.value)], language);
        return;
      }
      case "blockquote":
        this.#flow(node.children, { ...inner, quote: context.quote ?? ++this.#quotes }, "\n\n");
        return;
      case "list":
        for (const [place, item] of node.children.entries()) {
          if (place > 0) this.#gap = node.spread === true ? "\n\n" : "\n";
          const number = node.ordered === true ? `${(node.start ?? 1) + place}. ` : "";
          const box = typeof item.checked === "boolean" ? (item.checked ? "☑ " : "☐ ") : "";
          this.#item(item.children, `${number}${box}` || "• ", inner, item.spread === true ? "\n\n" : "\n");
        }
        return;
      case "footnoteDefinition":
        this.#item(node.children, `[${node.identifier.slice(0, 40)}] `, inner, "\n\n");
        return;
      case "table":
        this.#push(context, "code", [plainRun(this.#table(node))]);
        return;
      case "thematicBreak":
        this.#push(context, "text", [plainRun(RULE)]);
        return;
      case "definition":
        return;
      case "html":
        this.#push(context, "text", [plainRun(node.value)]);
        return;
      case "paragraph":
        this.#push(context, "text", this.#phrasing(node.children, [], 0));
        return;
      case "break":
      case "delete":
      case "emphasis":
      case "footnoteReference":
      case "image":
      case "imageReference":
      case "inlineCode":
      case "link":
      case "linkReference":
      case "listItem":
      case "strong":
      case "tableCell":
      case "tableRow":
      case "text":
      case "yaml":
        // Only within others; the parser makes none here.
        this.#push(context, "text", [plainRun(this.#sourceOf(node))]);
    }
  }

  #item(children: readonly RootContent[], bullet: string, context: Context, gap: Block["gap"]): void {
    this.#marker = (this.#marker ?? context.indent) + bullet;
    const indent = (context.indent + " ".repeat(bullet.length)).slice(0, MAX_INDENT);
    this.#flow(children, { ...context, indent }, gap);
    if (this.#marker !== undefined) this.#push(context, "text", []);
  }

  #push(context: Context, kind: Block["kind"], runs: readonly Run[], language?: string): void {
    if (this.#marker === undefined && !isVisible(textOf(runs))) return;
    this.#blocks.push({
      kind,
      runs,
      language,
      quote: context.quote,
      marker: this.#marker ?? context.indent,
      indent: context.indent,
      gap: this.#gap,
    });
    this.#marker = undefined;
    this.#gap = "\n\n";
  }

  #table({ children }: Table): string {
    return tableText(
      children.map((row) =>
        row.children.map((cell) =>
          this.#phrasing(cell.children, [], 0)
            .map(({ text }) => text.replaceAll(/\s+/g, " "))
            .join(""),
        ),
      ),
    );
  }

  /** The runs of inline nodes, in order. */
  #phrasing(nodes: readonly PhrasingContent[], styles: readonly Style[], depth: number): Run[] {
    const lastClosed = nodes.findLastIndex((node) => node.type === "html" && /^<\/u>$/i.test(node.value));
    let isUnderlined = false;
    const runs: Run[] = [];
    for (const [place, node] of nodes.entries()) {
      const current = isUnderlined ? withStyle(styles, "underline") : styles;
      if (node.type === "html" && /^<u>$/i.test(node.value) && place < lastClosed) isUnderlined = true;
      else if (node.type === "html" && /^<\/u>$/i.test(node.value) && isUnderlined) isUnderlined = false;
      else runs.push(...this.#inline(node, current, depth));
    }
    return runs;
  }

  #inline(node: PhrasingContent, styles: readonly Style[], depth: number): Run[] {
    if (depth > MAX_DEPTH) return [{ text: this.#sourceOf(node), styles, link: undefined }];
    switch (node.type) {
      case "strong":
        return this.#phrasing(node.children, withStyle(styles, "bold"), depth + 1);
      case "emphasis":
        return this.#phrasing(node.children, withStyle(styles, "italic"), depth + 1);
      case "delete":
        return this.#phrasing(node.children, withStyle(styles, "strike"), depth + 1);
      case "inlineCode":
        return [{ text: node.value, styles: withStyle(styles, "code"), link: undefined }];
      case "break":
        return [{ text: "\n", styles, link: undefined }];
      case "link":
        return linked(this.#phrasing(node.children, styles, depth + 1), node.url, styles);
      case "linkReference":
        return linked(
          this.#phrasing(node.children, styles, depth + 1),
          this.#addresses.get(node.identifier) ?? "",
          styles,
        );
      case "image":
        return pictured(node.alt, node.url, styles);
      case "imageReference":
        return pictured(node.alt, this.#addresses.get(node.identifier) ?? "", styles);
      case "footnoteReference":
        return [{ text: `[${node.identifier}]`, styles, link: undefined }];
      case "html":
        return [{ text: /^<br\s*\/?>$/i.test(node.value) ? "\n" : node.value, styles, link: undefined }];
      case "text":
        return [{ text: node.value, styles, link: undefined }];
      default:
        return node satisfies never;
    }
  }

  #sourceOf({ position }: Nodes | Paragraph): string {
    return this.#source.slice(position?.start.offset, position?.end.offset);
  }
}

function plainRun(text: string): Run {
  return { text, styles: [], link: undefined };
}

function withStyle(styles: readonly Style[], style: Style): readonly Style[] {
  return styles.includes(style) ? styles : [...styles, style];
}

function pictured(alt: string | null | undefined, url: string, styles: readonly Style[]): Run[] {
  return linked([{ text: alt ?? "", styles, link: undefined }], url, styles);
}

/** A label and its address. Only http, https and mailto are links; another address is shown after the label. */
function linked(label: readonly Run[], url: string, styles: readonly Style[]): Run[] {
  // A picture within a link: the inner address gives way.
  const runs = label.map(({ text, styles: own }) => ({ text: text.replaceAll("\n", " "), styles: own }));
  const text = runs.map((run) => run.text).join("");
  if (/^(?:https?:\/\/|mailto:)[^\s/]/i.test(url) && URL.canParse(url)) {
    if (!isVisible(text)) return [{ text: url, styles, link: { url, isBare: true } }];
    const link = { url, isBare: [text, `mailto:${text}`, `http://${text}`].includes(url) };
    return runs.map((run) => ({ ...run, link }));
  }
  const shown = text === url || /^(?:#|data:|$)/i.test(url) ? "" : isVisible(text) ? ` (${url})` : url;
  return [...runs, { text: shown, styles }].map((run) => ({ ...run, link: undefined }));
}
