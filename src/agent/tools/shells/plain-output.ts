import { stripVTControlCharacters } from "node:util";

/**
 * Returns terminal output as text: without colours and cursor movements, with line feeds as line ends. Of a line that
 * was overwritten, as progress bars do, the last state is kept.
 */
export function plainOutput(bytes: Uint8Array): string {
  return stripVTControlCharacters(new TextDecoder().decode(bytes))
    .replaceAll(/\r+\n/gu, "\n")
    .split("\n")
    .map((line) => line.replace(/\r+$/u, ""))
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n");
}
