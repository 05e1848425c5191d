import type { api } from "@agent-workspace/client";
import { shownPath } from "../../parts/shown-path.ts";
import type { TreeItem } from "../../parts/tree/rows.ts";
import { parentOf } from "../../parts/files/paths.ts";

const { compare } = new Intl.Collator();

/** The entries as a tree: directories first, each by name. */
export function treeItems(entries: readonly api.TreeEntry[]): TreeItem[] {
  const below = new Map<string, api.TreeEntry[]>();
  for (const entry of entries) {
    const parent = parentOf(entry.path);
    const siblings = below.get(parent);
    if (siblings) siblings.push(entry);
    else below.set(parent, [entry]);
  }
  const itemsOf = (directory: string): TreeItem[] =>
    (below.get(directory) ?? [])
      .toSorted((a, b) => Number(b.is_dir) - Number(a.is_dir) || compare(a.name, b.name))
      .map(({ path, name, is_dir }) => ({
        id: path,
        name: shownPath(name),
        ...(is_dir && { children: itemsOf(path) }),
      }));
  return itemsOf("");
}
