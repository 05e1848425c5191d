import { normalizeProps, useMachine } from "@zag-js/preact";
import * as treeView from "@zag-js/tree-view";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { rowsOf, type TreeItem, type TreeRow } from "./rows.ts";
import { useRowsInView } from "./use-rows-in-view.ts";

/** Height of a row, in rem. */
const ROW = 1.75;

interface TreeProps {
  label: string;
  items: TreeItem[];
  expanded: string[];
  selected: string | undefined;
  onExpanded: (ids: string[]) => void;
  onSelected: (item: TreeItem) => void;
}

/** A tree of entries. Of thousands, only the rows near the view are in the page, and those that a keyboard needs. */
export function Tree({ label, items, expanded, selected, onExpanded, onSelected }: TreeProps) {
  const list = useRef<HTMLDivElement>(null);
  /** The row that a key leads to: it is rendered, then it has the focus. */
  const [wanted, setWanted] = useState<string>();
  const collection = useMemo(
    () =>
      treeView.collection<TreeItem>({
        rootNode: { id: "", name: "", children: items },
        nodeToValue: ({ id }) => id,
        nodeToString: ({ name }) => name,
      }),
    [items],
  );
  const service = useMachine(treeView.machine, {
    id: useId(),
    collection,
    translations: { treeLabel: label },
    expandedValue: expanded,
    selectedValue: selected === undefined ? [] : [selected],
    onExpandedChange: ({ expandedValue }: { expandedValue: string[] }) => onExpanded(expandedValue),
    onSelectionChange: ({ selectedValue: [id] }: { selectedValue: string[] }) => {
      const item = id === undefined ? null : collection.findNode(id);
      if (item) onSelected(item);
    },
    scrollToIndexFn: ({ node }: { node: TreeItem }) => setWanted(node.id),
  });
  const api = treeView.connect(service, normalizeProps);
  const rows = useMemo(() => rowsOf(items, new Set(expanded)), [items, expanded]);
  const view = useRowsInView(list, rows.length);
  const isRendered = ({ item, indexPath }: TreeRow, index: number) =>
    (index >= view.from && index < view.to) ||
    item.id === wanted ||
    item.id === selected ||
    api.getNodeState({ node: item, indexPath }).focused;
  const hasSelected = rows.some(({ item }) => item.id === selected);
  useEffect(() => {
    list.current?.querySelector("[data-selected]")?.scrollIntoView({ block: "nearest" });
  }, [selected, hasSelected]);
  return (
    <div {...api.getRootProps()}>
      <div
        {...api.getTreeProps()}
        aria-labelledby={undefined}
        ref={list}
        class="tree"
        style={{ height: `${rows.length * ROW}rem` }}
      >
        {rows.map(
          (row, index) =>
            isRendered(row, index) && (
              <Row
                key={row.item.id}
                api={api}
                row={row}
                isExpanded={expanded.includes(row.item.id)}
                top={index * ROW}
              />
            ),
        )}
      </div>
    </div>
  );
}

interface RowProps {
  api: treeView.Api;
  row: TreeRow;
  isExpanded: boolean;
  /** Where it stands in the tree, in rem. */
  top: number;
}

function Row({ api, row: { item, indexPath, siblings }, isExpanded, top }: RowProps) {
  const place = { node: item, indexPath };
  const common = {
    class: "tree-entry",
    title: item.name,
    role: "treeitem" as const,
    "aria-level": indexPath.length,
    "aria-posinset": (indexPath.at(-1) ?? 0) + 1,
    "aria-setsize": siblings,
    style: { top: `${top}rem`, height: `${ROW}rem`, paddingLeft: `${indexPath.length - 0.65}rem` },
  };
  if (!item.children) {
    return (
      <div {...api.getItemProps(place)} {...common}>
        {item.name}
      </div>
    );
  }
  return (
    <div
      {...api.getBranchControlProps(place)}
      {...common}
      aria-expanded={isExpanded}
      aria-selected={api.getNodeState(place).selected}
    >
      <span aria-hidden="true">{isExpanded ? "▾ " : "▸ "}</span>
      {item.name}
    </div>
  );
}
