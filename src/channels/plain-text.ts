import { sha256Hex } from "#src/lib/hash.ts";
import type { OutgoingText, Place, RenderedText } from "./channel.ts";

/** The nonce of what a seed identifies over all attempts to send it. */
export function nonceOf(seed: string): string {
  return sha256Hex(seed).slice(0, 24);
}

/** A text without buttons that replies to no message. */
export function plainText(place: Place, text: RenderedText, seed: string): OutgoingText {
  return {
    place,
    text,
    replyTo: undefined,
    replyTarget: undefined,
    buttons: [],
    isSilent: false,
    nonce: nonceOf(seed),
  };
}
