import { useState } from "preact/hooks";
import { Loaded } from "../../parts/loaded.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { limitsKey, useLimits } from "./reads.ts";

/** Keeps a project from hibernating when no person and no agent uses it. */
export function AlwaysOn({ project }: { project: string }) {
  const [words, setWords] = useState("");
  const changing = useAction(async (method: "POST" | "DELETE") => {
    const { message } = await workspace.request(method, "/api/projects/{project}/deploy", {
      path: { project },
    });
    setWords(message);
    stale(limitsKey, keys.projects);
  });
  return (
    <>
      <h2>Always on</h2>
      <Loaded of={useLimits()}>
        {({ deploys }) => (
          <p class="muted">
            A project that is always on does not hibernate. {deploys.current} of {deploys.effective_max}{" "}
            places of the team are taken.
          </p>
        )}
      </Loaded>
      <div class="row">
        <button type="button" disabled={changing.isBusy} onClick={() => changing.run("POST")}>
          Make it always on
        </button>
        <button type="button" disabled={changing.isBusy} onClick={() => changing.run("DELETE")}>
          End always on
        </button>
        <span role="status">{words}</span>
      </div>
      {changing.error !== undefined && <Refused error={changing.error} />}
    </>
  );
}
