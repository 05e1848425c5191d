import { stripVTControlCharacters } from "node:util";

/**
 * What a terminal would show, as text: without colours and cursor movements, lines ended by line feeds only. A line that was
 * written over, as progress bars do, is as it was last.
 */
export function plainOutput(bytes: Uint8Array): string {
  return stripVTControlCharacters(new TextDecoder().decode(bytes))
    .replaceAll(/\r+\n/gu, "\n")
    .split("\n")
    .map((line) => line.replace(/\r+$/u, ""))
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n");
}
