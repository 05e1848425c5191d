import { visible, visibleLine } from "@agent-workspace/client";

type Fields = Readonly<Record<string, unknown>>;

/** What a tool is asked to do, does, and did. */
type Verb = readonly [asked: string, doing: string, did: string];

const RUN: Verb = ["Run", "Running", "Ran"];
const READ: Verb = ["Read", "Reading", "Read"];
const EDIT: Verb = ["Edit", "Editing", "Edited"];

const VERBS: Readonly<Record<string, Verb>> = {
  bash_exec: RUN,
  shell_open: ["Open shell", "Opening shell", "Opened shell"],
  shell_exec: RUN,
  shell_close: ["Close shell", "Closing shell", "Closed shell"],
  write_stdin: ["Type", "Typing", "Typed"],
  read_file: READ,
  read_many_files: READ,
  view_image: ["Look at", "Looking at", "Looked at"],
  write_file: ["Write", "Writing", "Wrote"],
  patch_file: EDIT,
  multi_edit: EDIT,
  list_dir: ["List", "Listing", "Listed"],
  glob: ["Find", "Finding", "Found"],
  grep: ["Search for", "Searching for", "Searched for"],
  git_status: ["Read git status", "Reading git status", "Read git status"],
  git_diff: ["Read git diff", "Reading git diff", "Read git diff"],
  git_log: ["Read git log", "Reading git log", "Read git log"],
  git_blame: ["Read history of", "Reading history of", "Read history of"],
  web_fetch: ["Fetch", "Fetching", "Fetched"],
  web_search: ["Search the web for", "Searching the web for", "Searched the web for"],
  todos: ["Update to-dos", "Updating to-dos", "Updated to-dos"],
  update_plan: ["Update plan", "Updating plan", "Updated plan"],
  memory_read: ["Read memory", "Reading memory", "Read memory"],
  memory_write: ["Write memory", "Writing memory", "Wrote memory"],
  send_message: ["Send message", "Sending message", "Sent message"],
  get_project_info: ["Read project details", "Reading project details", "Read project details"],
};

/** A tool of an MCP server, as the service names it. */
const OF_SERVER = /^mcp__(?<server>.+?)__(?<rest>.+)$/u;

/** What a tool is asked to do, for people. A tool that is not known has its own name. */
export function verbOf(tool: string): string {
  return wordsOf(tool)[0];
}

/** The verb of a tool as it is asked, while it runs, and afterwards. */
export function wordsOf(tool: string): Verb {
  const known = VERBS[tool];
  if (known) return known;
  const { server, rest = tool } = OF_SERVER.exec(tool)?.groups ?? {};
  const name = visibleLine(`${server === undefined ? "" : `${server}: `}${rest.replaceAll("_", " ")}`);
  return [name, name, name];
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

/** Tools whose `file_path` or `path` is a file of the project. */
const OF_FILES: ReadonlySet<string> = new Set([
  "read_file",
  "view_image",
  "write_file",
  "patch_file",
  "multi_edit",
  "git_blame",
]);

/** The file that a call works on; undefined for calls that work on none or many. */
export function fileOf(tool: string, args: Fields): string | undefined {
  if (!OF_FILES.has(tool)) return undefined;
  const path = args["file_path"] ?? args["path"];
  return typeof path === "string" && path !== "" ? path.replace(/^\.\//u, "") : undefined;
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
