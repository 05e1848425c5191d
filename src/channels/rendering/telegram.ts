import type { RenderedText, TextLimit } from "../channel.ts";
import { type Block, groupsOf, type Run, type Style } from "./document.ts";
import { isWithin } from "../text-limit.ts";
import { writePlain } from "./plain.ts";
import { splitBlocks } from "./blocks.ts";
import { blocksOf } from "./tree.ts";

/** Of the text that is left when the markup is taken out. */
const LIMIT: TextLimit = { max: 4_096, unit: "utf16" };
/** Of the markup: the server cuts what it is sent at 35,000 bytes before it reads the markup. */
const MARKUP_LIMIT: TextLimit = { max: 30_000, unit: "utf8 bytes" };

const TAGS: Record<Style, string> = { bold: "b", italic: "i", underline: "u", strike: "s", code: "code" };

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function writeHtml(blocks: readonly Block[]): string {
  let written = "";
  for (const [place, block] of blocks.entries()) {
    const isQuoted = block.quote !== undefined;
    const isContinued = isQuoted && blocks[place - 1]?.quote === block.quote;
    if (place > 0) written += block.gap;
    if (isQuoted && !isContinued) written += "<blockquote>";
    written += block.kind === "code" ? writeCode(block) : writeText(block);
    if (isQuoted && blocks[place + 1]?.quote !== block.quote) written += "</blockquote>";
  }
  return written;
}

function writeCode({ marker, runs, language }: Block): string {
  const code = escaped(
    runs
      .map(({ text }) => text)
      .join("")
      .replace(/\n+$/, ""),
  );
  const fenced =
    language === undefined
      ? `<pre>${code}</pre>`
      : `<pre><code class="language-${escaped(language)}">${code}</code></pre>`;
  const shown = code.trim() === "" ? "" : fenced;
  return marker.trim() === "" ? shown : `${marker.trimEnd()}\n${shown}`;
}

function writeText({ runs, marker, indent }: Block): string {
  const open: Style[] = [];
  let written = marker;
  const close = (kept: number) => {
    while (open.length > kept) written += `</${TAGS[open.pop() ?? "bold"]}>`;
  };
  for (const group of groupsOf(runs)) {
    const link = group[0]?.link;
    const url = link === undefined || link.isBare || !/^https?:/i.test(link.url) ? undefined : link.url;
    if (url !== undefined) {
      close(0);
      written += `<a href="${escaped(url)}">`;
    }
    for (const run of group) {
      const styles = stylesOf(run);
      const different = styles.findIndex((style, place) => open[place] !== style);
      close(different === -1 ? styles.length : different);
      for (const style of styles.slice(open.length)) {
        written += `<${TAGS[style]}>`;
        open.push(style);
      }
      written += escaped(run.text.replaceAll("\n", `\n${indent}`));
    }
    if (url !== undefined) {
      close(0);
      written += "</a>";
    } else if (link !== undefined && !link.isBare) {
      // Telegram links no mail addresses itself, but its clients do.
      close(0);
      written += ` (${escaped(link.url.replace(/^mailto:/i, ""))})`;
    }
  }
  close(0);
  return written;
}

/** Code is alone: it has no other styles, and is in no link. */
function stylesOf({ styles, link }: Run): readonly Style[] {
  if (!styles.includes("code")) return styles;
  return link === undefined ? ["code"] : styles.filter((style) => style !== "code");
}

/** As the platform counts: without tags, an entity for one character. */
function visibleText(html: string): string {
  return html.replaceAll(/<[^>]*>/g, "").replaceAll(/&(?:amp|lt|gt|quot);/g, "&");
}

function write(blocks: readonly Block[]): RenderedText {
  return { markup: writeHtml(blocks), plain: writePlain(blocks) };
}

/** An agent's Markdown in Telegram's HTML. */
export function telegramTexts(markdown: string): readonly RenderedText[] {
  return splitBlocks(blocksOf(markdown), {
    write,
    fits: ({ markup, plain }) =>
      isWithin(MARKUP_LIMIT, markup) && isWithin(LIMIT, visibleText(markup)) && isWithin(LIMIT, plain),
    longest: LIMIT.max,
  });
}
