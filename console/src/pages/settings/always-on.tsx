import { useState } from "preact/hooks";
import { Loaded } from "../../parts/loaded.tsx";
import { number, plural } from "../../parts/numbers.ts";
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
            A project that is always on never falls asleep. Your team uses {number(deploys.current)} of{" "}
            {plural(deploys.effective_max, "place")}.
          </p>
        )}
      </Loaded>
      <div class="row">
        <button type="button" disabled={changing.isBusy} onClick={() => changing.run("POST")}>
          Turn on
        </button>
        <button type="button" disabled={changing.isBusy} onClick={() => changing.run("DELETE")}>
          Turn off
        </button>
        <span role="status">{words}</span>
      </div>
      {changing.error !== undefined && <Refused error={changing.error} />}
    </>
  );
}
