import type { ComponentChildren } from "preact";

interface TableProps {
  label: string;
  /** The heading of each column. */
  columns: readonly string[];
  /** Whether a last column, without a visible heading, has what can be done with each line. */
  hasActions?: boolean;
  /** The lines. */
  children: ComponentChildren;
}

/** A table, which is scrolled by itself where it is wider than the page. */
export function Table({ label, columns, hasActions = false, children }: TableProps) {
  return (
    <div class="scrolled" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            {hasActions && (
              <th scope="col">
                <span class="hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
