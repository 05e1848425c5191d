import { number } from "../numbers.ts";
import type { LineCounts } from "./line-counts.ts";

/** `+12 −3`: lines that were added, and those that were taken away. */
export function Counts({ of: { added, removed } }: { of: LineCounts }) {
  return (
    <span class="counts">
      {added > 0 && <span class="more-lines">+{number(added)}</span>}
      {removed > 0 && <span class="fewer-lines">−{number(removed)}</span>}
    </span>
  );
}
