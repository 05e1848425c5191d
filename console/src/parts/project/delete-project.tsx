import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { Question } from "../ask-first.tsx";
import { useLeadOn } from "../use-lead-on.ts";

interface Deleted {
  project: Pick<api.Project, "id" | "name">;
}

/** A button that deletes a project, once its name is typed. */
export function DeleteProject({ project }: Deleted) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <button type="button" class="danger" onClick={() => setAsked(true)}>
        Delete…
      </button>
      {isAsked && <DeletionQuestion project={project} onClosed={() => setAsked(false)} />}
    </>
  );
}

/** Deletes a project with all it has, once its name is typed. */
export function DeletionQuestion({ project, onClosed }: Deleted & { onClosed: () => void }) {
  const leadOn = useLeadOn();
  return (
    <Question
      title={`Delete ${project.name}?`}
      typed={project.name}
      typedLabel="Type the project's name"
      confirm="Delete"
      onClosed={onClosed}
      work={async () => {
        await workspace.projects.delete(project.id);
        stale(keys.projects, keys.sidebar);
        leadOn("/");
      }}
    >
      <p>Its files, chats, snapshots and schedules are deleted for good.</p>
    </Question>
  );
}
