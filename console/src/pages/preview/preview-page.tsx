import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { NamedOptions } from "../../parts/fields.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { WhenAwake } from "../../parts/project/when-awake.tsx";
import { useContainers } from "../../service/reads.ts";
import { useProjectRole } from "../../service/roles.ts";
import { Frame } from "./frame.tsx";
import "./preview.css";

/** What a container of a project serves, as a visitor sees it. */
export function PreviewPage({ project }: { project: string }) {
  const containers = useContainers(project);
  return (
    <WhenAwake
      project={project}
      needs="running"
      title="Preview"
      purpose="A preview shows what its containers serve."
    >
      <Loaded of={containers}>
        {(found) => {
          const shown = found.filter(({ deployment_mode: mode }) => mode === "container");
          return shown.length === 0 ? <NoContainer project={project} /> : <Choice containers={shown} />;
        }}
      </Loaded>
    </WhenAwake>
  );
}

function NoContainer({ project }: { project: string }) {
  const role = useProjectRole(project);
  return (
    <>
      <h1>Preview</h1>
      <p>A preview shows a container, and this project has none.</p>
      <p>
        {role === "viewer" ? (
          "An editor of the project adds one, or asks the agent for it."
        ) : (
          <>
            <Link href={`/projects/${project}/containers`}>Add a container</Link>, or ask the agent to make a
            website.
          </>
        )}
      </p>
    </>
  );
}

function Choice({ containers }: { containers: readonly api.Container[] }) {
  const [chosen, setChosen] = useState<string>();
  const container = containers.find(({ id }) => id === chosen) ?? containers[0];
  // A path of the service has no origin of its own, so that a page there gets none at all.
  const address = container?.url ?? container?.preview_path;
  return (
    <div class="filling preview">
      <h1 class="hidden">Preview</h1>
      {containers.length > 1 && (
        <div class="row">
          <label for="container">Container</label>
          <select id="container" onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            <NamedOptions of={containers} />
          </select>
        </div>
      )}
      {container && typeof address === "string" ? (
        <Frame key={container.id} address={address} name={container.name} />
      ) : (
        <p class="notice">The container is {container?.status}. Start it among the containers.</p>
      )}
    </div>
  );
}
