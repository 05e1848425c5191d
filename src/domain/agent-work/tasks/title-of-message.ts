import { cut, oneLine } from "#src/lib/one-line.ts";

const CHARS = 60;
const NO_TITLE = "Untitled";

/**
 * The title of a chat until a model names it: the first line of its first message. A longer one ends with an ellipsis behind the
 * last whole word that leaves at most 60 characters.
 */
export function titleOfMessage(message: string): string {
  const first = message.split("\n").map(oneLine).find(Boolean) ?? "";
  if (first.length <= CHARS) return first || NO_TITLE;
  const head = cut(first, CHARS - 1);
  // A text without spaces, as of Chinese, has no words to cut behind.
  const words = first[head.length] === " " ? head : head.replace(/ [^ ]*$/u, "");
  return `${words.replace(/[\s,;:–-]+$/u, "")}…`;
}
