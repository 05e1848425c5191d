import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { textOf } from "../../parts/form-text.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

interface VariablesProps {
  project: string;
  container: api.Container;
  mayEdit: boolean;
}

/** The environment of a container. A value is shown only when it is asked for; the audit log then says by whom. */
export function Variables({ project, container, mayEdit }: VariablesProps) {
  const { id, env_var_keys: names } = container;
  const path = { project, container: id };
  const changing = useAction(
    async (
      body: { env_vars_to_set?: Record<string, string>; env_vars_to_delete?: string[] },
      form?: HTMLFormElement,
    ) => {
      await workspace.request("PATCH", "/api/projects/{project}/containers/{container}", { path, body });
      form?.reset();
      stale(keys.containers(project));
    },
  );
  return (
    <details>
      <summary>Environment variables ({names.length})</summary>
      <ul class="list">
        {names.map((name) => (
          <li key={name}>
            <code>{name}</code>
            {mayEdit && (
              <>
                <Value project={project} container={id} name={name} />
                <button
                  type="button"
                  disabled={changing.isBusy}
                  onClick={() => changing.run({ env_vars_to_delete: [name] })}
                >
                  Remove {name}
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
      {mayEdit && (
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            const form = new FormData(event.currentTarget);
            const body = { env_vars_to_set: { [textOf(form, "name")]: textOf(form, "value") } };
            changing.run(body, event.currentTarget);
          }}
        >
          <div class="field">
            <label for={`name-${id}`}>Variable</label>
            <input
              id={`name-${id}`}
              name="name"
              required
              pattern="[A-Za-z_][A-Za-z0-9_]*"
              autocomplete="off"
            />
          </div>
          <div class="field">
            <label for={`value-${id}`}>Value</label>
            <input id={`value-${id}`} name="value" type="password" autocomplete="new-password" />
          </div>
          <button type="submit" disabled={changing.isBusy}>
            Set
          </button>
        </form>
      )}
      {changing.error !== undefined && <Refused error={changing.error} />}
    </details>
  );
}

function Value({ project, container, name }: { project: string; container: string; name: string }) {
  const [value, setValue] = useState<string>();
  const revealing = useAction(async () => {
    const path = { project, container, variable: name };
    const shown = await workspace.request(
      "POST",
      "/api/projects/{project}/containers/{container}/secrets/{variable}/reveal",
      { path },
    );
    setValue(shown.value);
  });
  return (
    <>
      {value !== undefined && <code>{value}</code>}
      <button
        type="button"
        disabled={revealing.isBusy}
        onClick={() => (value === undefined ? revealing.run() : setValue(undefined))}
      >
        {value === undefined ? `Show ${name}` : `Hide ${name}`}
      </button>
      {revealing.error !== undefined && <Refused error={revealing.error} />}
    </>
  );
}
