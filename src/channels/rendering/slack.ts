import type { RenderedText, TextLimit } from "../channel.ts";
import type { Block } from "./document.ts";
import { isLetterBeside, withoutFences } from "./letters.ts";
import { isWithin } from "../text-limit.ts";
import { type Dialect, writeMarked } from "./marked.ts";
import { splitBlocks } from "./blocks.ts";
import { blocksOf } from "./tree.ts";

/** Slack takes longer messages, but lets none be edited that is longer. */
const LIMIT: TextLimit = { max: 4_000, unit: "code points" };

/** Also in code and in plain text: an unescaped `<!channel>` notifies all. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const PLAIN: Dialect = {
  styles: {},
  escape: escaped,
  fence: escaped,
  link: undefined,
  isAmbiguous: () => false,
  isCode: () => true,
};

const MRKDWN: Dialect = {
  styles: { bold: "*", italic: "_", strike: "~", code: "`" },
  escape: (text) => withoutFences(escaped(text)),
  fence: (code) => `\`\`\`\n${withoutFences(escaped(code))}\n\`\`\``,
  link: (label, { url, isBare }) => {
    const address = escaped(url.replaceAll(/[\s<>|]/g, (unsafe) => encodeURIComponent(unsafe)));
    return isBare && label === address ? `<${address}>` : `<${address}|${label}>`;
  },
  isAmbiguous: isLetterBeside,
  isCode: (text) => !text.includes("`"),
};

function write(blocks: readonly Block[]): RenderedText {
  return { markup: writeMarked(blocks, MRKDWN), plain: writeMarked(blocks, PLAIN) };
}

/** An agent's Markdown in Slack's mrkdwn. */
export function slackTexts(markdown: string): readonly RenderedText[] {
  return splitBlocks(blocksOf(markdown), {
    write,
    fits: ({ markup, plain }) => isWithin(LIMIT, markup) && isWithin(LIMIT, plain),
    longest: LIMIT.max * 2,
  });
}
