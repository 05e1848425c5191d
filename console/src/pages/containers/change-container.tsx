import type { api } from "@agent-workspace/client";
import { textOf } from "../../parts/form-text.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Renames a container, changes what it runs, or deletes it. */
export function ChangeContainer({
  project,
  container: { id, name, startup_command, port },
  mayDelete,
}: {
  project: string;
  container: api.Container;
  mayDelete: boolean;
}) {
  const path = { project, container: id };
  const changing = useAction(async (form: FormData) => {
    const newName = textOf(form, "name");
    if (newName !== name) {
      const body = { new_name: newName };
      await workspace.request("POST", "/api/projects/{project}/containers/{container}/rename", {
        path,
        body,
      });
    }
    const body = {
      startup_command: textOf(form, "command") || null,
      port: Number(textOf(form, "port")) || null,
    };
    await workspace.request("PATCH", "/api/projects/{project}/containers/{container}", { path, body });
    stale(keys.containers(project));
  });
  const deleting = useAction(async () => {
    await workspace.request("DELETE", "/api/projects/{project}/containers/{container}", { path });
    stale(keys.containers(project));
  });
  const { error = deleting.error } = changing;
  return (
    <>
      <details>
        <summary>Change</summary>
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            changing.run(new FormData(event.currentTarget));
          }}
        >
          <p class="muted small">A new name changes the address. A new command applies after a restart.</p>
          <div class="field">
            <label for={`rename-${id}`}>Name</label>
            <input id={`rename-${id}`} name="name" required maxLength={100} defaultValue={name} />
          </div>
          <div class="field">
            <label for={`command-${id}`}>Start command</label>
            <input
              id={`command-${id}`}
              name="command"
              maxLength={4_000}
              defaultValue={startup_command ?? ""}
            />
          </div>
          <div class="field">
            <label for={`port-${id}`}>Port</label>
            <input
              id={`port-${id}`}
              name="port"
              type="number"
              min={1}
              max={65_535}
              defaultValue={port === null ? "" : String(port)}
            />
          </div>
          <button type="submit" disabled={changing.isBusy}>
            Save
          </button>
        </form>
      </details>
      {mayDelete && (
        <details>
          <summary>Delete</summary>
          <p>The program is stopped. Files stay.</p>
          <button type="button" class="danger" disabled={deleting.isBusy} onClick={() => deleting.run()}>
            Delete {name}
          </button>
        </details>
      )}
      {error !== undefined && <Refused error={error} />}
    </>
  );
}
