import path from "node:path";
import { configFolder } from "../session/profiles.ts";
import { readPrivateFile, writePrivateFile } from "../session/private-file.ts";

export const MAX_HISTORY = 500;

/** A line that a terminal shows as it is. */
// oxlint-disable-next-line no-control-regex
const PLAIN = /^[^\u0000-\u001F\u007F-\u009F]+$/u;

type Environment = Readonly<Record<string, string | undefined>>;

/** The lines that the person entered before, newest first. */
export async function readHistory(environment: Environment): Promise<string[]> {
  const text = (await readPrivateFile(fileOf(environment))) ?? "";
  return text
    .split("\n")
    .filter((line) => PLAIN.test(line))
    .toReversed()
    .slice(0, MAX_HISTORY);
}

/** Keeps the lines, given newest first, in a file that only its owner may read. */
export function writeHistory(environment: Environment, lines: readonly string[]): Promise<void> {
  return writePrivateFile(fileOf(environment), `${lines.toReversed().join("\n")}\n`);
}

function fileOf(environment: Environment): string {
  return path.join(configFolder(environment), "chat-history");
}
