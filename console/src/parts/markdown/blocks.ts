import { Lexer, type Token } from "marked";
import { mathsTokens } from "./maths-tokens.ts";

/** The blocks of a text that grows, and where the last of them begins. */
export interface Blocks {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly lastAt: number;
}

export const NO_BLOCKS: Blocks = { text: "", tokens: [], lastAt: 0 };

/**
 * The blocks of `text`. Of a text that goes on from the one before, only the last block is parsed again: those before it are
 * finished.
 */
export function blocksOf(before: Blocks, text: string): Blocks {
  if (text === before.text) return before;
  const goesOn = before.lastAt > 0 && text.startsWith(before.text);
  const from = goesOn ? before.lastAt : 0;
  const kept = goesOn ? before.tokens.slice(0, -1) : [];
  const parsed = new Lexer({ gfm: true, extensions: mathsTokens }).lex(text.slice(from));
  const last = parsed.at(-1)?.raw ?? "";
  // The lexer changes line ends: where the last block is not found in the text, all is parsed again the next time.
  const lastAt = text.endsWith(last) ? text.length - last.length : 0;
  return { text, tokens: [...kept, ...parsed], lastAt };
}
