import { AppError } from "#src/lib/errors.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { ContainerRuntime } from "./container-runtime.ts";
import { openVariables, redactVariables } from "./environment.ts";
import type { Container } from "./queries.ts";

/** The last lines of a container's program, without the values of its variables; empty if nothing runs. */
export async function readLogs(
  deps: { secrets: Pick<Secrets, "decrypt"> },
  container: Container,
  runtime: ContainerRuntime,
  lines: number,
): Promise<string[]> {
  if (!runtime.runsProcesses) return [];
  try {
    const written = await runtime.readLog(container.id, lines);
    return redactVariables(written, await openVariables(deps.secrets, container.encryptedEnv));
  } catch (error) {
    if (error instanceof AppError && error.code === "asleep") return [];
    throw error;
  }
}
