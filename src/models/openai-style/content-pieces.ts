import type { Parted } from "../think-tags.ts";
import type { Delta } from "./wire.ts";

/** Returns the text of a delta and the thinking in its content: a text, or a list of parts. */
export function contentPieces({ content, refusal }: NonNullable<Delta>): Parted {
  if (typeof content === "string") return { text: content + (refusal ?? ""), thought: "" };
  const parts = content ?? [];
  return {
    text: parts.map((part) => part.text ?? "").join("") + (refusal ?? ""),
    thought: parts.map((part) => ("thinking" in part ? thoughtOf(part.thinking) : "")).join(""),
  };
}

function thoughtOf(pieces: readonly { text?: string | null | undefined }[] | null | undefined): string {
  return (pieces ?? []).map(({ text }) => text ?? "").join("");
}
