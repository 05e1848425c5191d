import type { MediaReference, OtherContent } from "#src/channels/channel.ts";
import { cut, oneLine } from "#src/lib/one-line.ts";

/** Longest name that a sentence has. */
const NAME_CHARS = 100;

/** A file that cannot be had; the message is a sentence in Markdown for the person who sent it. */
export class MediaProblem extends Error {
  override name = "MediaProblem";

  constructor(media: MediaReference, why: string, options: { cause?: unknown } = {}) {
    super(`${subjectOf(media)} was not taken: ${why}`, options);
  }
}

/** Tells the person who sent it that content was not taken. */
export function notTaken({ name }: OtherContent): string {
  return `The ${name} was not taken: only text, voice messages, pictures and documents are read here.`;
}

function subjectOf({ kind, filename }: MediaReference): string {
  if (kind === "voice") return "Your voice message";
  const what = kind === "image" ? "The picture" : "The file";
  const name = cut(oneLine(filename ?? "").replaceAll("`", "'"), NAME_CHARS);
  return name === "" ? what : `${what} \`${name}\``;
}
