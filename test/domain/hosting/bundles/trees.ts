import type { InventoryEntry } from "#src/platform/runtime/project-storage.ts";

/** A listing as a runtime returns it: files by their paths, links as `path -> target`, with their directories. */
export function treeOf(paths: readonly string[]): InventoryEntry[] {
  const entries = new Map<string, InventoryEntry>();
  for (const each of paths) {
    const [path = "", target] = each.split(" -> ");
    const names = path.split("/");
    for (let depth = 1; depth < names.length; depth += 1) {
      const directory = names.slice(0, depth).join("/");
      entries.set(directory, entryOf(directory, { kind: "directory", mode: 0o755 }));
    }
    entries.set(path, target === undefined ? entryOf(path) : entryOf(path, { kind: "symlink", target }));
  }
  return [...entries.values()];
}

function entryOf(path: string, fields: Partial<InventoryEntry> = {}): InventoryEntry {
  return {
    path,
    kind: "file",
    size: 1,
    mode: 0o644,
    modifiedAt: 0,
    target: "",
    fingerprint: path,
    ...fields,
  };
}
