import type { api } from "@agent-workspace/client";
import { AppWindow } from "lucide-preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { ActionButton } from "../../parts/action-button.tsx";
import { stateWord } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { NamedOptions } from "../../parts/fields.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { WhenAwake } from "../../parts/project/when-awake.tsx";
import { keys, stale, useContainers } from "../../service/reads.ts";
import { useProjectRole } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
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
      purpose="The preview shows what its containers serve."
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
      <Heading>Preview</Heading>
      <Empty
        icon={AppWindow}
        title="Nothing to preview yet"
        action={
          role !== "viewer" && (
            <div class="row">
              <ActionButton isPrimary work={() => showFiles(project)}>
                Show the project’s files
              </ActionButton>
              <Link class="button" href={`/projects/${project}/containers`}>
                Add container
              </Link>
            </div>
          )
        }
      >
        The preview shows the website that a container of this project serves.{" "}
        {role === "viewer"
          ? "An editor can add one."
          : "Show the files as they are, or add one that runs a command."}
      </Empty>
    </>
  );
}

/** A container without a command serves the files: a page needs no more. */
async function showFiles(project: string): Promise<void> {
  const { container } = await workspace.containers.create(project, { name: "web", directory: "." });
  await workspace.containers.start(project, container.id);
  stale(keys.containers(project));
}

function Choice({ containers }: { containers: readonly api.Container[] }) {
  const [chosen, setChosen] = useState<string>();
  const container = containers.find(({ id }) => id === chosen) ?? containers[0];
  // A path of the service has no origin of its own, so that a page there gets none at all.
  const address = container?.url ?? container?.preview_path;
  return (
    <div class="filling preview">
      <Heading isHidden>Preview</Heading>
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
        <p class="notice">
          The container is {stateWord(container?.status ?? "stopped").toLowerCase()}. Start it under
          Containers.
        </p>
      )}
    </div>
  );
}
