import type { api } from "@agent-workspace/client";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Takes the files of a project away: as an archive, or into a project of one's own. */
export function CopyProject({ project, mayFork }: { project: api.Project; mayFork: boolean }) {
  const leadOn = useLeadOn();
  const forking = useAction(async () => {
    const fork = await workspace.projects.fork(project.id);
    stale(keys.projects, keys.sidebar);
    leadOn(`/projects/${fork.slug}`);
  });
  const exporting = useAction(async () => {
    // The browser downloads by itself and cannot renew a session, so this call does it.
    await workspace.account.get();
    location.assign(`/api/projects/${project.id}/export?format=zip`);
  });
  const { error = exporting.error } = forking;
  return (
    <>
      <button type="button" disabled={exporting.isBusy} onClick={() => exporting.run()}>
        Export as zip
      </button>
      {mayFork && (
        <button type="button" disabled={forking.isBusy} onClick={() => forking.run()}>
          {forking.isBusy ? "Forking …" : "Fork"}
        </button>
      )}
      {error !== undefined && <Refused error={error} />}
    </>
  );
}
