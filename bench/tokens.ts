import { script } from "./task-client.ts";

/** Tokens of one message. */
export const TOKENS = 400;
/** Pause between two tokens, in milliseconds. */
export const TOKEN_EVERY_MS = 25;

/** A message that makes the demo model answer with tokens that contain the time at which it sent them. */
export const STAMPED = script([
  { text: Array.from({ length: TOKENS }, () => "{now}").join(" "), delay_ms: TOKEN_EVERY_MS },
]);

/** The lags of the tokens in a text that arrived at `at`, in milliseconds since the epoch. */
export function lagsOf(text: string, at: number): number[] {
  return Array.from(text.matchAll(/\d{13}/gu), ([stamp]) => at - Number(stamp));
}
