import type { api } from "@agent-workspace/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Tree } from "../../parts/tree/tree.tsx";
import { Actions } from "./actions.tsx";
import { parentOf, parentsOf } from "../../parts/files/paths.ts";
import { TextSearch } from "./text-search.tsx";
import type { FilesState } from "./files-state.ts";
import { treeItems } from "./tree-items.ts";

/** The tree of a project, and what a person does with its entries. */
export function Side({ state, entries }: { state: FilesState; entries: readonly api.TreeEntry[] }) {
  const { path, mayChange } = state;
  const [expanded, setExpanded] = useState<string[]>([]);
  const [selected, setSelected] = useState(path);
  // The opened file is seen in the tree.
  useEffect(() => {
    setSelected(path);
    if (path !== undefined) setExpanded((now) => [...new Set([...now, ...parentsOf(path)])]);
  }, [path]);
  const items = useMemo(() => treeItems(entries), [entries]);
  const entry = entries.find((each) => each.path === selected);
  return (
    <>
      <TextSearch project={state.project} open={state.open} />
      {mayChange && (
        <Actions
          state={state}
          entry={entry}
          directory={entry ? (entry.is_dir ? entry.path : parentOf(entry.path)) : ""}
        />
      )}
      {entries.length === 0 && (
        <p class="muted">No files yet. Create one here, or ask the agent in a chat.</p>
      )}
      <Tree
        label="Files of the project"
        items={items}
        expanded={expanded}
        selected={selected}
        onExpanded={setExpanded}
        onSelected={({ id, children }) => {
          setSelected(id);
          if (!children) state.open(id);
        }}
      />
    </>
  );
}
