import { createHash } from "node:crypto";
import path from "node:path";
import { objectOf, parseJson, textOf } from "../json.ts";
import { readPrivateFile, writePrivateFile } from "../session/private-file.ts";

/** How far a receiver has been told of tasks. */
export interface Position {
  /** Tasks that were created before this moment are known; undefined when there was none. */
  readonly since: string | undefined;
  /** Tasks that have not ended, or whose end was not delivered yet. */
  readonly open: readonly string[];
  /** Tasks of the last moments that need nothing any more: they are listed once more. */
  readonly settled: readonly string[];
}

/** The file of the position of one receiver of one service's tasks. */
export function positionFile(configFolder: string, service: string, receiver: string): string {
  const name = createHash("sha256").update(`${service}\n${receiver}`).digest("hex").slice(0, 16);
  return path.join(configFolder, "listen", `${name}.json`);
}

/** Undefined when none is recorded. */
export async function readPosition(file: string): Promise<Position | undefined> {
  const text = await readPrivateFile(file);
  if (text === undefined) return undefined;
  const stored = objectOf(parseJson(text));
  return {
    since: textOf(stored, "since"),
    open: textsOf(stored["open"]),
    settled: textsOf(stored["settled"]),
  };
}

export async function writePosition(file: string, position: Position): Promise<void> {
  await writePrivateFile(file, `${JSON.stringify(position)}\n`);
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
