import { headOf } from "#src/lib/head-of.ts";
import { oneLine } from "#src/lib/one-line.ts";
import { visible } from "#src/lib/visible.ts";

/** Who wrote a message of a chat. */
export interface Author {
  id: string;
  name: string;
}

/** Most characters of a name that the model is told. */
const NAME_CHARS = 80;

/** Where a line of a message would look like a mark, also with characters that nobody sees before its words. Never across lines. */
const MARK = /^([\p{Cf}\p{Zs}\t]*)\[(?=[\p{Cf}\p{Zs}\t*_]*written[\p{Cf}\p{Zs}\t]+by\b)/gimu;

/** Whether others than the person of the task have written in the chat. */
export function isOfSeveral(history: readonly { author: Author | null }[], userId: string): boolean {
  return history.some(({ author }) => author !== null && author.id !== userId);
}

/**
 * A person's message that begins with who wrote it, for a chat of several people. Nothing in the name ends the mark, and no line of the
 * message looks like one.
 */
export function signed(content: string, name: string): string {
  if (content === "") return content;
  const shown = headOf(oneLine(visible(name).replaceAll(/["[\]]/gu, " ")), NAME_CHARS).trim();
  return `[Written by "${shown}"]\n${content.replaceAll(MARK, "$1(")}`;
}
