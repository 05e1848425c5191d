import { SOON_MS, useProjectLive } from "../../live/use-project-live.ts";
import { keys, isMoving, stale, useProjectStatus } from "../../service/reads.ts";
import { useProjectRole } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { State } from "../badge.tsx";
import { Loaded } from "../loaded.tsx";
import { Refused } from "../refused.tsx";
import { useAction } from "../use-action.ts";
import { BeginAnew } from "./begin-anew.tsx";

/** How a project stands, what goes on, and how to move it. */
export function ProjectState({ project }: { project: string }) {
  // Its notices tell when the project moves.
  useProjectLive(project);
  const role = useProjectRole(project);
  const moving = useMoving(project);
  return (
    <Loaded of={useProjectStatus(project)}>
      {(status) => {
        const { state, progress, error } = status;
        const mayMove = (role === "admin" || role === "editor") && !isMoving(status);
        const isUp = state === "running" || state === "starting";
        return (
          <div class="row" role="status">
            <State of={status.environment_status === "stopping" ? "stopping" : state} />
            {isMoving(status) && (
              <>
                <progress aria-label="Project state" />
                <span class="muted">{progress}</span>
              </>
            )}
            {mayMove && status.files_lost_at === null && (
              <button
                type="button"
                disabled={moving.isBusy}
                onClick={() => moving.run(isUp ? "stop" : "start")}
              >
                {isUp ? "Stop" : state === "hibernated" ? "Wake" : "Start"}
              </button>
            )}
            {mayMove && (status.files_lost_at !== null || state === "failed") && (
              <BeginAnew project={project} hasRepository={status.git_status !== null} />
            )}
            {error !== null && <p class="notice bad">{error}</p>}
            {moving.error !== undefined && <Refused error={moving.error} />}
          </div>
        );
      }}
    </Loaded>
  );
}

function useMoving(project: string) {
  return useAction(async (move: "start" | "stop") => {
    await workspace.projects[move](project);
    stale(keys.projects);
    setTimeout(() => stale(keys.projects), SOON_MS);
  });
}
