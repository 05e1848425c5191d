import type { api } from "@agent-workspace/client";
import { useLocation } from "wouter-preact";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { AskFirst } from "../ask-first.tsx";

/** Deletes a project with all it has, once its name is typed. */
export function DeleteProject({ project }: { project: Pick<api.Project, "id" | "name"> }) {
  const [, navigate] = useLocation();
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
        navigate("/");
      }}
    >
      <p>Its files, chats, snapshots and schedules are deleted, and cannot be brought back.</p>
    </AskFirst>
  );
}
