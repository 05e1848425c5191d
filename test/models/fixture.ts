import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Chunks as a provider sent them, one JSON per line. */
export async function fixtureLines(name: string): Promise<string[]> {
  const text = await readFile(join(import.meta.dirname, `../fixtures/models/${name}.chunks.txt`), "utf8");
  return text.trim().split("\n");
}

/** The same, checked by the provider's schema, as the fold receives them. */
export async function* fixtureChunks<T>(
  name: string,
  schema: { parse: (value: unknown) => T },
): AsyncGenerator<T> {
  for (const line of await fixtureLines(name)) yield schema.parse(JSON.parse(line));
}
