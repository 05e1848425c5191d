import type { AgentRuntime } from "#src/platform/runtime/project-runtime.ts";
import { failure, type ToolFailure } from "../tool.ts";

/** Directory of the agents' own notes, including memory and plans. */
const NOTES_ROOT = ".workspace";

/** Whether a path belongs to the agents' own notes. */
export function isNote(path: string): boolean {
  return path === NOTES_ROOT || path.startsWith(`${NOTES_ROOT}/`);
}

/**
 * Refuses a note whose path leads through a symbolic link, which may come from a cloned repository and lead to any file
 * of the project. Undefined where there is no link.
 *
 * A program of the project can put a link there after this check. It gains nothing: it can write to the link's target
 * itself.
 */
export async function linkOnTheWay(runtime: AgentRuntime, path: string): Promise<ToolFailure | undefined> {
  const names = path.split("/");
  for (let depth = 1; depth <= names.length; depth += 1) {
    const part = names.slice(0, depth).join("/");
    const entry = await runtime.stat(part);
    if (!entry) return undefined;
    if (entry.kind === "symlink") {
      return failure(
        `${part} is a symbolic link; notes are not read or written through links.`,
        "Tell the user about the link: it has to be removed before notes can be kept here.",
        { file_path: path },
      );
    }
  }
  return undefined;
}
