import { headOf } from "#src/lib/head-of.ts";
import type { Button, TextLimit } from "./channel.ts";
import { isWithin } from "./text-limit.ts";

const CUT_AT_ONCE = 50;

/**
 * A text with the labels of its buttons below it, for platforms that cannot show them: the person types one. The text is cut
 * where both together would be too long.
 */
export function withButtonList(
  text: string,
  buttons: readonly Pick<Button, "label">[],
  limit: TextLimit,
): string {
  if (buttons.length === 0) return text;
  const list = `\n\nReply with one of these:\n${buttons.map(({ label }) => `• ${label}`).join("\n")}`;
  let whole = text + list;
  for (let left = text.length - CUT_AT_ONCE; left > 0 && !isWithin(limit, whole); left -= CUT_AT_ONCE) {
    whole = `${headOf(text, left)}…${list}`;
  }
  return whole;
}
