import { cut, oneLine } from "#src/lib/one-line.ts";

const CHARS = 60;
const NO_TITLE = "Untitled";

/** The title of a chat until a model names it: the first line of its first message, at most 60 characters. */
export function titleOfMessage(message: string): string {
  const first = message.split("\n").map(oneLine).find(Boolean) ?? "";
  return cut(first, CHARS) || NO_TITLE;
}
