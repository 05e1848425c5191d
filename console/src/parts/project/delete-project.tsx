import type { api } from "@agent-workspace/client";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { AskFirst } from "../ask-first.tsx";
import { useLeadOn } from "../use-lead-on.ts";

/** Deletes a project with all it has, once its name is typed. */
export function DeleteProject({ project }: { project: Pick<api.Project, "id" | "name"> }) {
  const leadOn = useLeadOn();
  return (
    <AskFirst
      label="Delete …"
      title={`Delete ${project.name}?`}
      typed={project.name}
      typedLabel="Type the project's name"
      confirm="Delete"
      work={async () => {
        await workspace.projects.delete(project.id);
        stale(keys.projects, keys.sidebar);
        leadOn("/");
      }}
    >
      <p>Its files, chats, snapshots and schedules are deleted, and cannot be brought back.</p>
    </AskFirst>
  );
}
