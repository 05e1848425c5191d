import type { Caller } from "#src/domain/access/permissions/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { deleteContainerRow, type Container } from "./queries.ts";
import { openContainer, type ContainerPath } from "./require-container.ts";

/**
 * Deletes a container and its connections, and ends its program; its files stay. Noted in the team's log. If the program cannot be reached, the
 * container stays and the caller can retry. Throws as `openContainer` does.
 */
export async function deleteContainer(
  deps: { db: Db; workspaces: Pick<ProjectWorkspaces, "runtime"> },
  caller: Caller,
  path: ContainerPath,
  client?: Client,
): Promise<Container> {
  const { project, container } = await openContainer(deps, caller, path, "container.delete");
  if (container.status === "starting" || container.status === "running") {
    await endProgram(deps, project.id, container.id);
  }
  await deleteContainerRow(deps.db, container, {
    userId: caller.userId,
    teamId: project.teamId,
    projectId: project.id,
    action: "container.deleted",
    resourceType: "container",
    resourceId: container.id,
    details: { name: container.name },
    client,
  });
  return container;
}

async function endProgram(
  { workspaces }: { workspaces: Pick<ProjectWorkspaces, "runtime"> },
  projectId: string,
  containerId: string,
): Promise<void> {
  const runtime = workspaces.runtime(projectId);
  if (!runtime.runsProcesses) return;
  await runtime.stopProcess(containerId).catch((error: unknown) => {
    // A sleeping project runs no program.
    if (!(error instanceof AppError && error.code === "asleep")) throw error;
  });
}
