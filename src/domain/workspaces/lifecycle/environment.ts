import type { SQL } from "drizzle-orm";
import { startContainers, stopContainers, withoutOutput } from "#src/domain/workspaces/containers/index.ts";
import type { Executor } from "./executor.ts";
import { closeShellSessions, endContainerTasks } from "./queries/transition.ts";

/**
 * Starts the wanted containers; running ones are left alone. A failure does not stop the others. Returns a message about
 * the failures, or null. Throws the executor's signal's reason once the project must stop.
 */
export async function startEnvironment(executor: Executor): Promise<string | null> {
  const { deps, runtime, project, signal } = executor;
  await executor.report({ percentage: 55, message: "Starting containers" });
  const ended = await startContainers(deps, project, runtime, {
    onProgress: (message) => executor.report({ percentage: 70, message }),
    signal,
  });
  // Only the first part of the error: callers who may not read container logs can see projects and background tasks.
  const outcomes = ended.map((outcome) => ({
    ...outcome,
    error: outcome.error === null ? null : withoutOutput(outcome.error),
  }));
  const ends = (isHeld: SQL) => outcomes.map((each) => endContainerTasks(deps.db, project.id, each, isHeld));
  if (outcomes.length > 0) await executor.store({ also: ends });
  const failed = outcomes.filter(({ status }) => status === "failed");
  if (failed.length === 0) return null;
  return failed.map(({ name, error }) => `${name} did not start: ${error ?? "unknown"}`).join("; ");
}

/** Ends everything that runs in the project. Its files stay. */
export async function stopEnvironment(executor: Executor): Promise<void> {
  const { deps, runtime, project } = executor;
  await stopContainers(deps, project, runtime, {});
  await runtime.stopProcesses();
  await executor.store({
    change: { startedAt: null },
    also: (isHeld) => [closeShellSessions(deps.db, project.id, isHeld)],
    // Only what changes something: the attempts at the rest are counted.
    isProgress: project.startedAt !== null,
  });
}
