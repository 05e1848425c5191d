import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { textOf } from "../../parts/form-text.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { workspace } from "../../service/workspace.ts";

/** Makes a template of a project's files, from which others begin. */
export function TemplateForm({ project }: { project: api.Project }) {
  const [words, setWords] = useState("");
  const making = useAction(async (form: FormData) => {
    setWords("");
    const name = textOf(form, "name");
    await workspace.request("POST", "/api/projects/{project}/export-template", {
      path: { project: project.id },
      body: { name, visibility: form.get("visibility") === "public" ? "public" : "private" },
    });
    setWords(`Template “${name}” created`);
  });
  return (
    <>
      <h2>Export as template</h2>
      <form
        class="form narrow"
        onSubmit={(event) => {
          event.preventDefault();
          making.run(new FormData(event.currentTarget));
        }}
      >
        <div class="field">
          <label for="template-name">Template name</label>
          <input id="template-name" name="name" required maxLength={100} defaultValue={project.name} />
        </div>
        <div class="field">
          <label for="template-visibility">Template visibility</label>
          <select id="template-visibility" name="visibility">
            <option value="private">Private</option>
            <option value="public">Public</option>
          </select>
        </div>
        <div class="row">
          <button type="submit" disabled={making.isBusy}>
            Export as template
          </button>
          <span role="status">{words}</span>
        </div>
        {making.error !== undefined && <Refused error={making.error} />}
      </form>
    </>
  );
}
