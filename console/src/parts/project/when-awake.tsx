import type { api } from "@agent-workspace/client";
import type { ComponentChildren } from "preact";
import { useProjectLive } from "../../live/use-project-live.ts";
import { isMoving, keys, stale, useProjectStatus } from "../../service/reads.ts";
import { useProjectRole } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { ActionButton } from "../action-button.tsx";
import { Loaded } from "../loaded.tsx";
import { ProjectState } from "./project-state.tsx";
import { Heading } from "../heading.tsx";

type Status = api.GetProjectStatusAnswer;

interface WhenAwakeProps {
  project: string;
  /** The files alone, or an environment that is up. */
  needs: "files" | "running";
  /** The page's heading, where it is the whole page that waits. */
  title?: string;
  /** What waits for it, in a sentence. */
  purpose: string;
  children: ComponentChildren;
}

/**
 * What needs a project's workspace, once that is there. Until then: how the project stands, and a way to wake it. A read would
 * wake it unasked, and undo that it is being put away.
 */
export function WhenAwake({ project, needs, title, purpose, children }: WhenAwakeProps) {
  // Its notices tell when the project moves.
  useProjectLive(project);
  return (
    <Loaded of={useProjectStatus(project)} {...(title !== undefined && { title })}>
      {(status) =>
        (needs === "files" ? hasFiles(status) : status.state === "running") ? (
          children
        ) : (
          <>
            {title !== undefined && <Heading>{title}</Heading>}
            <section class="notice" aria-label="The project is not running">
              <p>
                {standing(status)} {purpose}
              </p>
              <ProjectState project={project} />
              {needs === "files" && status.state === "hibernated" && <WakeToLook project={project} />}
            </section>
          </>
        )
      }
    </Loaded>
  );
}

/** Whether the files are in their place: a start brings them there first if they were put away. */
export function hasFiles({ state, environment_status, hibernated_at, files_lost_at }: Status): boolean {
  if (environment_status === "stopping" || files_lost_at !== null) return false;
  return state === "stopped" || state === "running" || (state === "starting" && hibernated_at === null);
}

function standing(status: Status): string {
  if (status.environment_status === "stopping") return "The project is falling asleep. Its files are kept.";
  if (status.files_lost_at !== null) return "The project’s files are lost.";
  if (isMoving(status)) return "The project is starting. This page continues by itself.";
  if (status.state === "hibernated") return "The project is asleep. Its files are kept.";
  return status.state === "failed" ? "The project could not be set up." : "The project is stopped.";
}

/** Viewers start nothing, but a read of the files wakes the project. */
function WakeToLook({ project }: { project: string }) {
  if (useProjectRole(project) !== "viewer") return null;
  const wake = async () => {
    await workspace.request("GET", "/api/projects/{project}/files/tree", { path: { project } });
    stale(keys.status(project));
  };
  return <ActionButton work={wake}>Wake</ActionButton>;
}
