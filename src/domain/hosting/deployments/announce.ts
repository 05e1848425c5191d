import type { Log } from "#src/platform/log/log.ts";
import type { ProjectNotices } from "#src/platform/objects/project-notices.ts";
import type { DeploymentChange } from "#src/wire/streams.ts";
import type { Deployment } from "./queries/requests.ts";

/** How a deployment stands, as sockets and streams say it. */
export function dataOfChange({ id, provider, status, url, error }: Deployment): DeploymentChange {
  return { type: "deployment", deployment_id: id, provider, status, deployment_url: url, error };
}

/** Tells the open sockets of the project how a deployment stands. They can read it at any time, so a failure is only logged. */
export async function announce(
  { notices, log }: { notices: Pick<ProjectNotices, "send">; log: Log },
  deployment: Deployment,
): Promise<void> {
  const { id, projectId } = deployment;
  if (projectId === null) return;
  try {
    await notices.send(projectId, dataOfChange(deployment));
  } catch (cause) {
    log.warn("a deployment's change was not announced", { deployment_id: id, cause });
  }
}
