import { entry, type TestEntry } from "#test/domain/workspaces/archives/entries.ts";
import { MemoryFiles } from "#test/domain/workspaces/archives/memory-files.ts";

/** A project's files in memory with the directories in which they are, as every runtime lists them. */
export class ProjectInMemory extends MemoryFiles {
  override write(path: string, text: string, fields: Partial<TestEntry> = {}): void {
    const names = path.split("/");
    for (let depth = 1; depth < names.length; depth += 1) {
      const directory = names.slice(0, depth).join("/");
      this.entries.set(directory, entry(directory, { kind: "directory", mode: 0o755 }));
    }
    super.write(path, text, fields);
  }

  /** The texts of its files. */
  override texts(): Record<string, string> {
    const files = [...this.entries.values()].filter(({ kind }) => kind === "file");
    return Object.fromEntries(files.map(({ path, text }) => [path, text]));
  }
}
