import type { RenderedText, TextLimit } from "../channel.ts";
import type { Block } from "./document.ts";
import { isWithin } from "../text-limit.ts";
import { type Dialect, SEPARATOR, writeMarked } from "./marked.ts";
import { writePlain } from "./plain.ts";
import { splitBlocks } from "./blocks.ts";
import { blocksOf } from "./tree.ts";

/** Clients drop texts of more than 2 KiB; longer ones would go as an attachment. */
const LIMIT: TextLimit = { max: 1_900, unit: "utf8 bytes" };

/**
 * For `text_mode: "styled"` of signal-cli-rest-api. Its parser knows `*`, `**`, `~`, `` ` `` and `||`, also within monospace, and takes a
 * backslash before one of them as its escape; two asterisks are always read together.
 */
const STYLED: Dialect = {
  styles: { bold: "**", italic: "*", strike: "~", code: "`" },
  escape,
  fence: (code) => `\`${separated(escape(code))}\``,
  link: undefined,
  isAmbiguous: ({ character: before }, { character: next }) =>
    (before === "\\" && "*~`|".includes(next)) || ((before === "*" || before === "|") && before === next),
  isCode: () => true,
};

function escape(text: string): string {
  return text.replaceAll(/\*\*?|\|\||(?<=\\)\||[~`]/g, String.raw`\$&`);
}

/** A backslash at the end would escape the marker that follows. */
function separated(text: string): string {
  return text.endsWith("\\") ? text + SEPARATOR : text;
}

function write(blocks: readonly Block[]): RenderedText {
  return { markup: writeMarked(blocks, STYLED), plain: writePlain(blocks) };
}

/** An agent's Markdown in the styled text of Signal's bridge. */
export function signalTexts(markdown: string): readonly RenderedText[] {
  return splitBlocks(blocksOf(markdown), {
    write,
    fits: ({ markup, plain }) => isWithin(LIMIT, markup) && isWithin(LIMIT, plain),
    longest: LIMIT.max,
  });
}
