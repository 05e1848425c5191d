import type { ConversationCall, ConversationTurn } from "@agent-workspace/client";
import { fileOf } from "./tool-words.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Lines that an edit added and took away. */
export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

const EDITS: ReadonlySet<string> = new Set(["write_file", "patch_file", "multi_edit"]);

/** The lines that a finished call changed in its file; undefined for calls that changed none, or do not say it. */
export function lineCountsOf({
  tool,
  args,
  state,
  result,
}: Pick<ConversationCall, "tool" | "args" | "state" | "result">): LineCounts | undefined {
  if (!EDITS.has(tool) || state !== "done" || !result) return undefined;
  const { lines_added: added, lines_removed: removed, line_count: whole } = fieldsOf(result["details"]);
  if (typeof added === "number") return { added, removed: typeof removed === "number" ? removed : 0 };
  if (typeof whole === "number") return { added: whole, removed: 0 };
  if (typeof result["diff"] === "string") return countsInDiff(result["diff"]);
  return typeof args["content"] === "string" ? { added: linesIn(args["content"]), removed: 0 } : undefined;
}

/** What a task has changed: its files, and the lines of its edits. Commands may have changed more. */
export interface Changed extends LineCounts {
  readonly files: readonly string[];
}

/** What the calls of a task's turns have changed; undefined where they changed no file. */
export function changedBy(turns: readonly ConversationTurn[]): Changed | undefined {
  const files = new Set<string>();
  let [added, removed] = [0, 0];
  for (const call of turns.flatMap(({ calls }) => calls)) {
    const path = fileOf(call.tool, call.args);
    if (!EDITS.has(call.tool) || call.state !== "done" || path === undefined) continue;
    files.add(path);
    const counts = lineCountsOf(call);
    added += counts?.added ?? 0;
    removed += counts?.removed ?? 0;
  }
  return files.size === 0 ? undefined : { files: [...files], added, removed };
}

function countsInDiff(diff: string): LineCounts {
  const lines = diff.split("\n");
  const count = (sign: string, head: string) =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(head)).length;
  return { added: count("+", "+++"), removed: count("-", "---") };
}

function linesIn(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/u, "").split("\n").length;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
