import type { RenderedText } from "../channel.ts";
import type { Block } from "./document.ts";
import { type Dialect, writeMarked } from "./marked.ts";
import { blocksOf } from "./tree.ts";

const PLAIN: Dialect = {
  styles: {},
  escape: (text) => text,
  fence: (code) => code,
  link: undefined,
  isAmbiguous: () => false,
  isCode: () => true,
};

/** Text without markup, for a terminal and for platforms that refused the markup. */
export function writePlain(blocks: readonly Block[]): string {
  return writeMarked(blocks, PLAIN);
}

/** The whole text, for a terminal: it has no limit. */
export function plainTexts(markdown: string): readonly RenderedText[] {
  const plain = writePlain(blocksOf(markdown));
  return plain === "" ? [] : [{ markup: plain, plain }];
}
