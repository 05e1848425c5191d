import type { InventoryEntry, ProjectStorage } from "#src/platform/runtime/project-storage.ts";
import { entry, many, type TestEntry } from "./entries.ts";

/** A project's files in memory; the fingerprint of each is its content. */
export class MemoryFiles implements Pick<ProjectStorage, "inventory" | "readEntries" | "replaceEntries"> {
  entries = new Map<string, TestEntry>();
  /** Runs before files are read. */
  beforeRead: () => unknown = () => undefined;

  write(path: string, text: string, fields: Partial<TestEntry> = {}): void {
    this.entries.set(path, entry(path, { text, ...fields }));
  }

  texts(): Record<string, string> {
    return Object.fromEntries([...this.entries.values()].map(({ path, text }) => [path, text]));
  }

  async inventory(): Promise<InventoryEntry[]> {
    return [...this.entries.values()].map(({ text, ...rest }) => ({
      ...rest,
      size: new TextEncoder().encode(text).byteLength,
      fingerprint: `content of ${text}`,
    }));
  }

  async readEntries(paths: readonly string[]) {
    await this.beforeRead();
    return many(paths.flatMap((path) => this.entries.get(path) ?? []));
  }

  async replaceEntries(entries: Parameters<ProjectStorage["replaceEntries"]>[0]): Promise<void> {
    const next = new Map<string, TestEntry>();
    for await (const { entry: each, content } of entries) {
      const chunks: Uint8Array<ArrayBuffer>[] = [];
      for await (const chunk of content) chunks.push(new Uint8Array(chunk));
      const { size: _, ...rest } = each;
      next.set(each.path, { ...rest, text: await new Blob(chunks).text() });
    }
    this.entries = next;
  }
}
