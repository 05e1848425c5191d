import { cut, oneLine } from "#src/lib/one-line.ts";
import { scrubText, type KnownSecrets } from "./scrub.ts";

/** Most characters that are looked at for secrets. */
const READ_CHARS = 4_000;

/** A foreign text in one line of at most so many characters. Secrets are removed before it is cut: a part of one is not recognised. */
export function foreignWords(text: string, known: KnownSecrets, most: number): string {
  return cut(oneLine(scrubText(text.slice(0, READ_CHARS), known)), most);
}
