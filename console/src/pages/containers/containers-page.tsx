import type { api } from "@agent-workspace/client";
import { Container } from "lucide-preact";
import { useState } from "preact/hooks";
import { Route, Switch } from "wouter-preact";
import { Empty } from "../../parts/empty.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { ProjectState } from "../../parts/project/project-state.tsx";
import { useContainers } from "../../service/reads.ts";
import { useProjectRole } from "../../service/roles.ts";
import { ContainerCard } from "./container-card.tsx";
import { Logs } from "./logs.tsx";
import { NewContainer } from "./new-container.tsx";

/** What runs in a project, and what it puts out. */
export function ContainersPage({ project }: { project: string }) {
  const at = `/projects/${project}/containers`;
  return (
    <Switch>
      <Route path={`${at}/:container/logs`}>
        {({ container }) => <Logs key={container} project={project} container={container ?? ""} />}
      </Route>
      <Route>
        <Heading>Containers</Heading>
        <ProjectState project={project} />
        <Loaded of={useContainers(project)}>
          {(containers) => <List project={project} containers={containers} />}
        </Loaded>
      </Route>
    </Switch>
  );
}

function List({ project, containers }: { project: string; containers: readonly api.Container[] }) {
  const role = useProjectRole(project);
  const [isAdding, setAdding] = useState(false);
  const mayEdit = role === "admin" || role === "editor";
  const adding =
    mayEdit && !isAdding ? (
      <button type="button" class="primary" onClick={() => setAdding(true)}>
        Add container
      </button>
    ) : undefined;
  return (
    <>
      {containers.length === 0 && (
        <Empty icon={Container} title="No containers yet" action={adding}>
          A container runs a program of the project, such as a web server, or serves its files as a website.
        </Empty>
      )}
      <ul class="cards">
        {containers.map((container) => (
          <ContainerCard key={container.id} project={project} container={container} role={role} />
        ))}
      </ul>
      {containers.length > 0 && adding}
      {mayEdit && isAdding && <NewContainer project={project} close={() => setAdding(false)} />}
    </>
  );
}
