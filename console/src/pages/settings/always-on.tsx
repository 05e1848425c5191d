import type { api } from "@agent-workspace/client";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { number, plural } from "../../parts/numbers.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { limitsKey, useLimits } from "./reads.ts";

/** Keeps a project from hibernating when no person and no agent uses it. */
export function AlwaysOn({ project: { slug, deployed_at: since } }: { project: api.Project }) {
  const isOn = since !== null;
  const changing = useAction(async () => {
    const path = { project: slug };
    await workspace.request(isOn ? "DELETE" : "POST", "/api/projects/{project}/deploy", { path });
    stale(limitsKey, keys.projects);
  });
  return (
    <>
      <h2>Always on</h2>
      <Loaded of={useLimits()}>
        {({ deploys }) => (
          <p class="muted">
            A project that is always on never falls asleep. Your team may have{" "}
            {plural(deploys.effective_max, "such project")}, and has {number(deploys.current)}.
          </p>
        )}
      </Loaded>
      <div class="row">
        <span role="status">
          {isOn ? (
            <>
              On. It was turned on <Moment at={since} />.
            </>
          ) : (
            "Off. This project falls asleep when nobody uses it."
          )}
        </span>
        <button type="button" disabled={changing.isBusy} onClick={() => changing.run()}>
          {isOn ? "Turn off" : "Turn on"}
        </button>
      </div>
      {changing.error !== undefined && <Refused error={changing.error} />}
    </>
  );
}
