import { headOf } from "./head-of.ts";
import { storableText } from "./storable-text.ts";

/** Text on one line, without characters that move the cursor, hide text or change its direction. */
export function oneLine(text: string): string {
  return storableText(text)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
}

/** The trimmed beginning of a text, at most `chars` UTF-16 units. */
export function cut(text: string, chars: number): string {
  return headOf(text, chars).trim();
}
