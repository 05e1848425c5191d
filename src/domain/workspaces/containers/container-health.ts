import { AppError } from "#src/lib/errors.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import type { ContainerRuntime } from "./container-runtime.ts";
import { effectivePort } from "./ports.ts";
import type { Container } from "./queries.ts";
import { isStatic } from "./start-containers.ts";

const HEALTH_MS = 5000;

export interface Health {
  healthy: boolean;
  status?: number;
  error?: string;
}

/**
 * Whether a container is healthy: its program responds with a status below 400 within 5 seconds, or, for a container
 * that serves static files, its directory exists. Does not wake the project.
 */
export async function checkHealth(
  deps: { safeFetch: SafeFetch },
  container: Container,
  runtime: ContainerRuntime,
): Promise<Health> {
  try {
    if (isStatic(container, runtime)) return await checkDirectory(container, runtime);
    const status = await statusOf(deps, container, runtime);
    return { healthy: status < 400, status };
  } catch (error) {
    if (error instanceof AppError) return { healthy: false, error: error.message };
    if (error instanceof DOMException && error.name === "TimeoutError") {
      return { healthy: false, error: `The container did not respond within ${HEALTH_MS / 1000} seconds` };
    }
    throw error;
  }
}

async function checkDirectory(
  { status, directory }: Container,
  runtime: Pick<ContainerRuntime, "stat">,
): Promise<Health> {
  if (status !== "running") return { healthy: false, error: "The container is not running" };
  const entry = directory === "" ? undefined : await runtime.stat(directory);
  return directory === "" || entry?.kind === "directory"
    ? { healthy: true }
    : { healthy: false, error: `There is no directory ${directory}` };
}

async function statusOf(
  { safeFetch }: { safeFetch: SafeFetch },
  container: Container,
  runtime: Pick<ContainerRuntime, "fetchPort">,
): Promise<number> {
  if (container.deploymentMode === "external") {
    const answer = await safeFetch(container.externalEndpoint ?? "", { timeoutMs: HEALTH_MS, maxBytes: 0 });
    return answer.status;
  }
  const port = effectivePort(container);
  using limit = timeLimit(HEALTH_MS);
  const init = { redirect: "manual", signal: limit.signal } as const;
  const response = await runtime.fetchPort(port, new Request(`http://localhost:${port}/`, init));
  await response.body?.cancel();
  return response.status;
}
