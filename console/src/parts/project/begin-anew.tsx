import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { ActionButton } from "../action-button.tsx";

/** The choice of how a project without files starts again: they are lost, or could not be set up. */
export function BeginAnew({ project, hasRepository }: { project: string; hasRepository: boolean }) {
  const begin = (from: "empty" | "repository") => async () => {
    await workspace.request("POST", "/api/projects/{project}/begin-anew", {
      path: { project },
      body: { from },
    });
    stale(keys.projects);
  };
  return (
    <>
      {hasRepository && <ActionButton work={begin("repository")}>Start from the repository</ActionButton>}
      <ActionButton work={begin("empty")}>Start empty</ActionButton>
    </>
  );
}
