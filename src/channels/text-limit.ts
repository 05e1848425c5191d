import type { TextLimit } from "./channel.ts";

/** How long a text is, as a platform counts. */
export function lengthIn(unit: TextLimit["unit"], text: string): number {
  switch (unit) {
    case "utf16":
      return text.length;
    case "code points": {
      let pairs = 0;
      for (let at = 0; at < text.length; at += 1) if (isHighSurrogate(text, at)) pairs += 1;
      return text.length - pairs;
    }
    case "utf8 bytes":
      return new TextEncoder().encode(text).length;
    default:
      return unit satisfies never;
  }
}

export function isWithin(limit: TextLimit, text: string): boolean {
  return text.length <= limit.max * 2 && lengthIn(limit.unit, text) <= limit.max;
}

/** Of well-formed text: the other half follows. */
function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd8_00 && code < 0xdc_00;
}
