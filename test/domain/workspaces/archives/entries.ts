import type { EntryWithContent } from "#src/platform/runtime/project-storage.ts";

export interface TestEntry {
  path: string;
  kind: "file" | "directory" | "symlink";
  text: string;
  mode: number;
  modifiedAt: number;
  target: string;
}

export function entry(path: string, fields: Partial<TestEntry> = {}): TestEntry {
  return { path, kind: "file", text: "", mode: 0o644, modifiedAt: 1_600_000_000_000, target: "", ...fields };
}

/** Entries as a runtime takes and gives them. */
export async function* many(entries: readonly TestEntry[]): AsyncGenerator<EntryWithContent> {
  for (const { text, ...rest } of entries) {
    const bytes = new TextEncoder().encode(text);
    yield { entry: { ...rest, size: bytes.byteLength }, content: once(bytes) };
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
}
