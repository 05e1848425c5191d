import type { AgentRuntime } from "#src/platform/runtime/project-runtime.ts";
import { failure, type ToolFailure } from "../tool.ts";

/** Where agents keep notes of their own, memory and plans among them. */
const NOTES_ROOT = ".workspace";

/** Whether a path is among the agent's own notes. */
export function isNote(path: string): boolean {
  return path === NOTES_ROOT || path.startsWith(`${NOTES_ROOT}/`);
}

/**
 * Why a note is neither read nor written: its path leads through a symbolic link, which came with a person's repository and
 * may lead to any file of the project. Undefined where it does not.
 *
 * A program of the project can put a link there after this look. It gains nothing: it can write by itself wherever the link
 * would lead.
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
