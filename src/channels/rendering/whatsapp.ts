import type { RenderedText, TextLimit } from "../channel.ts";
import type { Block } from "./document.ts";
import { isLetterBeside, withoutFences } from "./letters.ts";
import { isWithin } from "../text-limit.ts";
import { type Dialect, writeMarked } from "./marked.ts";
import { writePlain } from "./plain.ts";
import { splitBlocks } from "./blocks.ts";
import { blocksOf } from "./tree.ts";

const LIMIT: TextLimit = { max: 4_096, unit: "code points" };

const DIALECT: Dialect = {
  styles: { bold: "*", italic: "_", strike: "~", code: "`" },
  escape: withoutFences,
  fence: (code) => `\`\`\`\n${withoutFences(code)}\n\`\`\``,
  link: undefined,
  isAmbiguous: isLetterBeside,
  isCode: (text) => !text.includes("`"),
};

function write(blocks: readonly Block[]): RenderedText {
  return { markup: writeMarked(blocks, DIALECT), plain: writePlain(blocks) };
}

/** An agent's Markdown in WhatsApp's markup. */
export function whatsappTexts(markdown: string): readonly RenderedText[] {
  return splitBlocks(blocksOf(markdown), {
    write,
    fits: ({ markup, plain }) => isWithin(LIMIT, markup) && isWithin(LIMIT, plain),
    longest: LIMIT.max * 2,
  });
}
