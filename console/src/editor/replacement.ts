import type { ChangeSpec, Text } from "@codemirror/state";

/** The one change that makes `next` of a document: what both have at their ends stays, and with it the selection there. */
export function replacement(document: Text, next: Text): ChangeSpec | undefined {
  const [before, after] = [document.toString(), next.toString()];
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < most - from && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
