import type { ConversationTask } from "@agent-workspace/client";
import { useMemo } from "preact/hooks";
import { fileOf } from "../../parts/agent/tool-words.ts";
import { addressOf, nameOf } from "../../parts/files/paths.ts";
import type { Opener } from "../../parts/files/opener.ts";
import { useShowBeside } from "../../parts/pane.ts";

/** Leads from a chat to the files that its agent has worked on, whose names are links wherever they stand alone. */
export function useOpener(project: string, tasks: readonly ConversationTask[]): Opener {
  const show = useShowBeside(project);
  const paths = useKnownPaths(tasks);
  return useMemo(
    () => ({
      project,
      openFile: ({ path, line }) =>
        show(`${addressOf(project, path)}${line === undefined ? "" : `#L${line}`}`),
      openChanges: (task) => show(`/projects/${project}/changes/run/${task}`),
      fileNamed: (text) => {
        const path = paths.get(text.replace(/^\.\//u, ""));
        return path === undefined ? undefined : { path };
      },
    }),
    [project, paths],
  );
}

/** Paths by themselves and, where no other file has it, by the name of the file. It stays the same while no path is added. */
function useKnownPaths(tasks: readonly ConversationTask[]): ReadonlyMap<string, string> {
  const calls = tasks.flatMap(({ turns }) => turns.flatMap((turn) => turn.calls));
  const found = [...new Set(calls.flatMap(({ tool, args }) => fileOf(tool, args) ?? []))].toSorted();
  return useMemo(() => {
    const known = new Map(found.map((path) => [path, path]));
    for (const [name, paths] of Map.groupBy(found, nameOf)) {
      const [only] = paths;
      if (paths.length === 1 && only !== undefined && !known.has(name)) known.set(name, only);
    }
    return known;
  }, [found.join("\0")]);
}
