import { visible, visibleLine } from "@agent-workspace/client";

type Fields = Readonly<Record<string, unknown>>;

/** What a tool does, for people. A tool that is not known has its own name. */
const VERBS: Readonly<Record<string, string>> = {
  bash_exec: "Run",
  shell_open: "Open shell",
  shell_exec: "Run",
  write_stdin: "Type",
  read_file: "Read",
  read_many_files: "Read",
  view_image: "Look at",
  write_file: "Write",
  patch_file: "Edit",
  multi_edit: "Edit",
  list_dir: "List",
  glob: "Find",
  grep: "Search",
  web_fetch: "Fetch",
  web_search: "Search the web",
  todos: "Note",
  update_plan: "Plan",
};

export function verbOf(tool: string): string {
  return VERBS[tool] ?? visibleLine(tool.replaceAll("_", " "));
}

/** Arguments that name what a tool works on, the telling ones first. */
const TARGETS = ["command", "file_path", "pattern", "path", "query", "url", "name"];
const MAX_TARGET = 120;

/** What a call works on, in one line. */
export function targetOf(args: Fields): string {
  const found = TARGETS.map((name) => args[name]).find((value) => typeof value === "string");
  const line = typeof found === "string" ? visible(found.trim().split("\n")[0] ?? "") : "";
  return line.length > MAX_TARGET ? `${line.slice(0, MAX_TARGET - 1)}…` : line;
}

/** A part of a file that is replaced. */
export interface Replacement {
  readonly before: string;
  readonly after: string;
}

/** What a call changes in a file; undefined for calls that change none, or whose form is not known. */
export function replacementsOf(tool: string, args: Fields): readonly Replacement[] | undefined {
  if (tool === "write_file") {
    return typeof args["content"] === "string"
      ? [{ before: "", after: visible(args["content"]) }]
      : undefined;
  }
  const edits = tool === "patch_file" ? [args] : tool === "multi_edit" ? args["edits"] : undefined;
  if (!Array.isArray(edits)) return undefined;
  const found = edits.map(replacementOf);
  return found.every((each) => each !== undefined) ? found : undefined;
}

function replacementOf(edit: unknown): Replacement | undefined {
  if (typeof edit !== "object" || edit === null) return undefined;
  const { old_str: before, search, new_str: after, replace }: Fields = { ...edit };
  const [old, fresh] = [before ?? search, after ?? replace];
  return typeof old === "string" && typeof fresh === "string"
    ? { before: visible(old), after: visible(fresh) }
    : undefined;
}
