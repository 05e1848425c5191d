import { HOSTING_NAMES } from "#src/domain/hosting/credentials/index.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { containersOf } from "#src/domain/workspaces/containers/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { HostingName } from "#src/platform/hosting/hosting.ts";
import type { Deployment } from "./queries/requests.ts";
import { requestDeployment, type RequestDeps } from "./request-deployment.ts";

/** What became of one container. */
export interface ContainerDeployment {
  container: { id: string; name: string };
  provider: string | null;
  /** Absent where none was requested. */
  deployment?: Deployment;
  error?: string;
}

/**
 * Requests a deployment of each container that has a deployment target. A refusal for one does not stop the others. Throws
 * as `requireProject` does.
 */
export async function deployAll(
  deps: RequestDeps,
  caller: Caller,
  idOrSlug: string,
  idempotencyKey: string | undefined,
): Promise<ContainerDeployment[]> {
  const project = await requireProject(deps, caller, idOrSlug, "deployment.create");
  const outcomes: ContainerDeployment[] = [];
  for (const { id, name, deploymentProvider: provider } of await containersOf(deps.db, project.id)) {
    const container = { id, name };
    if (!isHostingName(provider)) {
      outcomes.push({ container, provider });
      continue;
    }
    try {
      const deployment = await requestDeployment(deps, caller, {
        project: project.id,
        provider,
        containerId: id,
        env: {},
        includesContainerEnv: true,
        idempotencyKey: idempotencyKey === undefined ? undefined : `${idempotencyKey}/${id}`,
      });
      outcomes.push({ container, provider, deployment });
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "internal") throw error;
      outcomes.push({ container, provider, error: error.message });
    }
  }
  return outcomes;
}

function isHostingName(name: string | null): name is HostingName {
  return HOSTING_NAMES.some((each) => each === name);
}
