import { visible } from "@agent-workspace/client";

/** A value as one line of JSON in which no character is hidden: hidden ones are escaped, so that the value stays the same. */
export function jsonLine(value: unknown): string {
  return visible(JSON.stringify(value) ?? "null", escaped);
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}
