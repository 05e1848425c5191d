import { textOf } from "../../parts/form-text.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Adds a container: its name, its folder, and what it runs. */
export function NewContainer({ project, close }: { project: string; close: () => void }) {
  const adding = useAction(async (form: FormData) => {
    const command = textOf(form, "command");
    const port = Number(textOf(form, "port"));
    await workspace.containers.create(project, {
      name: textOf(form, "name"),
      directory: textOf(form, "directory") || ".",
      ...(command !== "" && { startup_command: command }),
      ...(port > 0 && { port }),
    });
    stale(keys.containers(project));
    close();
  });
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        adding.run(new FormData(event.currentTarget));
      }}
    >
      <h2>New container</h2>
      <div class="field">
        <label for="container-name">Name</label>
        <input
          id="container-name"
          name="name"
          required
          maxLength={100}
          autocomplete="off"
          placeholder="web"
        />
      </div>
      <div class="field">
        <label for="directory">Folder</label>
        <input id="directory" name="directory" maxLength={4_096} placeholder="Project root" />
      </div>
      <div class="field">
        <label for="command">Start command</label>
        <input
          id="command"
          name="command"
          maxLength={4_000}
          placeholder="npm run dev (empty to serve files)"
        />
      </div>
      <div class="field">
        <label for="port">Port</label>
        <input id="port" name="port" type="number" min={1} max={65_535} placeholder="Passed to it as PORT" />
      </div>
      <div class="row">
        <button type="submit" class="primary" disabled={adding.isBusy}>
          Add
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
      {adding.error !== undefined && <Refused error={adding.error} />}
    </form>
  );
}
