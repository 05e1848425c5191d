import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { textOf } from "../../parts/form-text.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

const VISIBILITIES = ["private", "team", "public"] as const;

/** Name, description and visibility of a project. */
export function ProjectForm({ project }: { project: api.Project }) {
  const [isSaved, setSaved] = useState(false);
  const saving = useAction(async (form: FormData) => {
    setSaved(false);
    const visibility = VISIBILITIES.find((each) => each === form.get("visibility"));
    await workspace.projects.update(project.id, {
      name: textOf(form, "name"),
      description: textOf(form, "description"),
      ...(visibility && { visibility }),
    });
    stale(keys.projects, keys.sidebar);
    setSaved(true);
  });
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        saving.run(new FormData(event.currentTarget));
      }}
    >
      <div class="field">
        <label for="project-name">Name</label>
        <input id="project-name" name="name" required maxLength={200} defaultValue={project.name} />
      </div>
      <div class="field">
        <label for="description">Description</label>
        <textarea
          id="description"
          name="description"
          rows={3}
          maxLength={10_000}
          defaultValue={project.description}
        />
      </div>
      <div class="field">
        <label for="visibility">Visibility</label>
        <select id="visibility" name="visibility">
          <option value="private" selected={project.visibility === "private"}>
            Private: only members
          </option>
          <option value="team" selected={project.visibility === "team"}>
            Team: everyone in the team
          </option>
          <option value="public" selected={project.visibility === "public"}>
            Public: everyone can see its previews
          </option>
        </select>
      </div>
      <div class="row">
        <button type="submit" class="primary" disabled={saving.isBusy}>
          Save
        </button>
        <span role="status">{isSaved && "Saved"}</span>
      </div>
      {saving.error !== undefined && <Refused error={saving.error} />}
    </form>
  );
}
