import { useState } from "preact/hooks";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { workspace } from "../../service/workspace.ts";

/** Asks a container for a page, and says whether it gave one. */
export function Health({ project, container }: { project: string; container: string }) {
  const [words, setWords] = useState("");
  const { run, isBusy, error } = useAction(async () => {
    const path = { project, container };
    const {
      healthy,
      status_code,
      error: reason,
    } = await workspace.request("GET", "/api/projects/{project}/containers/{container}/health", { path });
    const detail = status_code === undefined ? reason : `status ${status_code}`;
    setWords(`${healthy ? "Healthy" : "Not healthy"}${detail === undefined ? "" : `: ${detail}`}`);
  });
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => run()}>
        Check
      </button>
      <span role="status">{words}</span>
      {error !== undefined && <Refused error={error} />}
    </>
  );
}
