import { useState } from "preact/hooks";
import { Question } from "../../parts/ask-first.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { gitKey, useBranches } from "./reads.ts";

/** The branches of a repository: switch to one, or make one. */
export function Branches({ project, mayChange }: { project: string; mayChange: boolean }) {
  const [isAsked, setAsked] = useState(false);
  const switching = useAction(async (branch: string) => {
    await workspace.git.switch(project, { branch });
    stale(gitKey(project), ["files", project]);
  });
  return (
    <Loaded of={useBranches(project)}>
      {({ branches, current_branch, message }) => (
        <>
          <div class="row">
            {mayChange && branches.length > 0 && (
              <>
                <label for="branch">Branch</label>
                <select
                  id="branch"
                  disabled={switching.isBusy}
                  value={current_branch ?? ""}
                  onChange={({ currentTarget }) => {
                    switching.run(currentTarget.value);
                    // It is what the repository says, which may refuse.
                    currentTarget.value = current_branch ?? "";
                  }}
                >
                  {[...new Set(branches.map(({ name }) => name))].map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </>
            )}
            {mayChange && (
              <button type="button" onClick={() => setAsked(true)}>
                New branch
              </button>
            )}
            {!mayChange && (
              <span class="muted">
                Branches: {[...new Set(branches.map(({ name }) => name))].join(", ") || "none yet"}
              </span>
            )}
          </div>
          {message !== undefined && <p class="muted">{message}</p>}
          {switching.error !== undefined && <Refused error={switching.error} />}
          {isAsked && (
            <Question
              isHarmless
              title="New branch"
              confirm="Create and switch"
              work={async (form) => {
                const body = { name: textOf(form, "name") };
                await workspace.request("POST", "/api/projects/{project}/git/branches", {
                  path: { project },
                  body,
                });
                stale(gitKey(project));
              }}
              onClosed={() => setAsked(false)}
            >
              <div class="field">
                <label for="branch-name">Name</label>
                <input id="branch-name" name="name" required maxLength={200} autocomplete="off" />
              </div>
            </Question>
          )}
        </>
      )}
    </Loaded>
  );
}
