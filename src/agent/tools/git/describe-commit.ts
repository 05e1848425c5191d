import type { GitCommit } from "#src/git/protocol.ts";
import { headAndTail } from "../bound-text.ts";

/** Most characters of a commit's message. */
const MESSAGE_CHARS = 1_000;

/** A commit as the model reads it. */
export function describeCommit({ sha, message, author, date, parents }: GitCommit) {
  return {
    sha,
    author: `${author.name} <${author.email}>`,
    date,
    message: headAndTail(message.trim(), MESSAGE_CHARS),
    ...(parents.length > 1 && { merges: parents }),
  };
}
