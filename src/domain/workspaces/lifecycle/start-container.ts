import type { Caller } from "#src/domain/access/permissions/index.ts";
import { openTaskOfContainer } from "#src/domain/workspaces/background-tasks/index.ts";
import {
  containersOf,
  openContainer,
  refreshContainers,
  requireContainer,
  setContainersWanted,
  stopContainers,
  type Container,
  type ContainerPath,
  type OpenedContainer,
} from "#src/domain/workspaces/containers/index.ts";
import { requireProject, type OpenProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { wantContainer, wantRunning } from "./queries/wishes.ts";
import { publish, requestStopAll, requireFirstFiles, type RequestDeps } from "./request-state.ts";

type ContainerDeps = RequestDeps & { workspaces: Pick<ProjectWorkspaces, "runtime"> };

export interface StartedContainer {
  /** The background task of the start; null when there is nothing to do. */
  taskId: string | null;
  containerName: string;
  alreadyRunning: boolean;
  /** A start is already in progress; `taskId` is its background task. */
  alreadyStarted: boolean;
}

/**
 * Starts one container. If its project is not running, starts the project with this container only. Throws as
 * `openContainer` does, and `conflict` for a project without files.
 */
export async function startContainer(
  deps: ContainerDeps,
  caller: Caller,
  path: ContainerPath,
): Promise<StartedContainer> {
  const { project, container } = await openContainer(deps, caller, path, "container.start_stop");
  requireFirstFiles(project);
  const current = await seenNow(deps, project, container);
  const answer = { containerName: container.name, alreadyRunning: false, alreadyStarted: false };
  if (current.status === "connected" || (isUp(project) && current.status === "running")) {
    return { ...answer, taskId: null, alreadyRunning: true };
  }
  const open = await openTaskOfContainer(deps.db, container.id);
  if (open) return { ...answer, taskId: open.id, alreadyStarted: true };
  return { ...answer, taskId: await want(deps, caller, { project, container, type: "container_start" }) };
}

/** Restarts one container. Throws as `startContainer` does. */
export async function restartContainer(
  deps: ContainerDeps,
  caller: Caller,
  path: ContainerPath,
): Promise<StartedContainer> {
  const { project, container } = await openContainer(deps, caller, path, "container.start_stop");
  requireFirstFiles(project);
  const answer = { containerName: container.name, alreadyRunning: false, alreadyStarted: false };
  if (container.deploymentMode === "external") return { ...answer, taskId: null, alreadyRunning: true };
  if (isUp(project))
    await stopContainers(deps, project, deps.workspaces.runtime(project.id), { only: [container.id] });
  return { ...answer, taskId: await want(deps, caller, { project, container, type: "container_restart" }) };
}

/** Stops one container; its project keeps running. Idempotent. Throws as `openContainer` does. */
export async function stopContainer(
  deps: ContainerDeps,
  caller: Caller,
  path: ContainerPath,
): Promise<{ containerId: string; containerName: string }> {
  const { project, container } = await openContainer(deps, caller, path, "container.start_stop");
  await setContainersWanted(deps, project.id, false, [container.id]);
  if (isUp(project)) {
    await stopContainers(deps, project, deps.workspaces.runtime(project.id), { only: [container.id] });
  }
  return { containerId: container.id, containerName: container.name };
}

/**
 * Starts a project with all its containers, including stopped containers of a running project. Throws as `requireProject`
 * does, `invalid_input` for a project without containers, `conflict` during its setup.
 */
export function startAllContainers(
  deps: ContainerDeps,
  caller: Caller,
  idOrSlug: string,
): Promise<StartedContainers> {
  return startAll(deps, caller, idOrSlug, { anew: false });
}

/** Restarts all containers. Throws as `startAllContainers` does. */
export function restartAllContainers(
  deps: ContainerDeps,
  caller: Caller,
  idOrSlug: string,
): Promise<StartedContainers> {
  return startAll(deps, caller, idOrSlug, { anew: true });
}

interface StartedContainers {
  project: OpenProject;
  containers: Container[];
}

async function startAll(
  deps: ContainerDeps,
  caller: Caller,
  idOrSlug: string,
  { anew }: { anew: boolean },
): Promise<StartedContainers> {
  const project = await requireProject(deps, caller, idOrSlug, "container.start_stop");
  requireFirstFiles(project, { orFailed: true });
  const containers = await containersOf(deps.db, project.id);
  if (containers.length === 0) throw new AppError("invalid_input", "The project has no containers");
  if (anew && isUp(project)) await stopContainers(deps, project, deps.workspaces.runtime(project.id));
  await publish(deps, project.id, await wantRunning(deps.db, project.id, { evenIfRunning: true }));
  return { project, containers };
}

/** Ends everything that runs in a project; its files stay where they are. */
export async function stopAllContainers(
  deps: ContainerDeps,
  caller: Caller,
  idOrSlug: string,
): Promise<{ project: OpenProject }> {
  return { project: await requestStopAll(deps, caller, idOrSlug) };
}

async function want(
  deps: RequestDeps,
  caller: Caller,
  { project, container, type }: OpenedContainer & { type: "container_start" | "container_restart" },
): Promise<string> {
  const id = newId();
  const generation = await wantContainer(
    deps.db,
    { projectId: project.id, containerId: container.id },
    { id, userId: caller.userId, type },
  );
  await publish(deps, project.id, generation);
  return id;
}

const isUp = ({ status, startedAt }: OpenProject) => status === "running" && startedAt !== null;

/** The container's record after a check of its program, which may have ended by itself. */
async function seenNow(deps: ContainerDeps, project: OpenProject, container: Container): Promise<Container> {
  if (!isUp(project) || container.status !== "running") return container;
  await refreshContainers(deps, project, deps.workspaces.runtime(project.id));
  return requireContainer(deps, project.id, container.id);
}
