import { useState } from "preact/hooks";
import { Refused } from "../../parts/refused.tsx";
import { shownPath } from "../../parts/shown-path.ts";
import { useAction } from "../../parts/use-action.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { Begin } from "./begin.tsx";
import { gitKey, useBranches } from "./reads.ts";

/** Fetches commits from the remote repository, and sends those of here. A project without a remote gets one here. */
export function Exchange({ project }: { project: string }) {
  const { data: branches } = useBranches(project);
  const [done, setDone] = useState<{ message: string; conflicts: readonly string[] }>();
  const moving = useAction(async (verb: "push" | "pull") => {
    setDone(undefined);
    if (verb === "push") {
      const { message } = await workspace.git.push(project, {}, { timeoutMs: 120_000 });
      setDone({ message, conflicts: [] });
    } else setDone(await workspace.git.pull(project, {}, { timeoutMs: 120_000 }));
    stale(gitKey(project), ["files", project]);
  });
  if (branches?.status === "local") {
    return (
      <details>
        <summary>No remote repository is connected</summary>
        <Begin project={project} hasRepository />
      </details>
    );
  }
  return (
    <>
      <div class="row">
        <button type="button" disabled={moving.isBusy} onClick={() => moving.run("pull")}>
          Pull
        </button>
        <button type="button" disabled={moving.isBusy} onClick={() => moving.run("push")}>
          Push
        </button>
        <span role="status">{moving.isBusy ? "Working…" : done?.message}</span>
      </div>
      {done && done.conflicts.length > 0 && (
        <ul>
          {done.conflicts.map((path) => (
            <li key={path}>{shownPath(path)}</li>
          ))}
        </ul>
      )}
      {moving.error !== undefined && <Refused error={moving.error} />}
    </>
  );
}
