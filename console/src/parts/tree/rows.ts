/** An entry of a tree; one with children is a branch. */
export interface TreeItem {
  /** Unique in the tree. */
  id: string;
  name: string;
  children?: TreeItem[];
}

/** A line of a tree as it is opened now. */
export interface TreeRow {
  readonly item: TreeItem;
  /** Its place among its siblings, after the places of what it is in. */
  readonly indexPath: number[];
  /** How many entries stand where it does, itself included. */
  readonly siblings: number;
}

/** The lines of a tree whose branches in `expanded` are open, from top to bottom. */
export function rowsOf(
  items: readonly TreeItem[],
  expanded: ReadonlySet<string>,
  above: readonly number[] = [],
): TreeRow[] {
  return items.flatMap((item, index) => {
    const indexPath = [...above, index];
    const row = { item, indexPath, siblings: items.length };
    if (!item.children || !expanded.has(item.id)) return [row];
    return [row, ...rowsOf(item.children, expanded, indexPath)];
  });
}
