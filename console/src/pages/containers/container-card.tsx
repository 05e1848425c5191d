import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { State } from "../../parts/badge.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { keys, stale } from "../../service/reads.ts";
import type { Role } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { ChangeContainer } from "./change-container.tsx";
import { Health } from "./health.tsx";
import { Variables } from "./variables.tsx";

/** When the state is read once more after a change. */
const SOON_MS = 3_000;

/** One container: how it stands, its address, and what can be done with it. */
export function ContainerCard({
  project,
  container,
  role,
}: {
  project: string;
  container: api.Container;
  role: Role | undefined;
}) {
  const { id, name, status, url, error, directory, startup_command, internal_port } = container;
  const moving = useAction(async (move: "start" | "stop" | "restart") => {
    await workspace.containers[move](project, id);
    stale(keys.projects);
    setTimeout(() => stale(keys.projects), SOON_MS);
  });
  const mayEdit = role === "admin" || role === "editor";
  const isUp = status === "running" || status === "starting";
  return (
    <li>
      <h2>{name}</h2>
      <p>
        <State of={status} />
        {status === "starting" && <progress aria-label={`${name} starts`} />}
      </p>
      {error !== null && <pre class="wrapped">{error}</pre>}
      <dl class="facts small">
        {url !== null && (
          <>
            <dt>Address</dt>
            <dd>
              <a href={url} target="_blank" rel="noopener">
                {url}
              </a>
            </dd>
          </>
        )}
        <dt>Folder</dt>
        <dd>{directory === "." ? "Project root" : directory}</dd>
        <dt>Command</dt>
        <dd>{startup_command ?? "None: it serves files"}</dd>
        <dt>Port</dt>
        <dd>{internal_port}</dd>
      </dl>
      <div class="row">
        {mayEdit && container.deployment_mode === "container" && (
          <>
            <button
              type="button"
              disabled={moving.isBusy}
              onClick={() => moving.run(isUp ? "stop" : "start")}
            >
              {isUp ? "Stop" : "Start"}
            </button>
            {isUp && (
              <button type="button" disabled={moving.isBusy} onClick={() => moving.run("restart")}>
                Restart
              </button>
            )}
          </>
        )}
        <Link class="button" href={`/projects/${project}/containers/${id}/logs`}>
          Logs
        </Link>
        <Health project={project} container={id} />
      </div>
      {moving.error !== undefined && <Refused error={moving.error} />}
      <Variables project={project} container={container} mayEdit={mayEdit} />
      {mayEdit && <ChangeContainer project={project} container={container} mayDelete={role === "admin"} />}
    </li>
  );
}
