import { startContainers, stopContainers, withoutOutput } from "#src/domain/workspaces/containers/index.ts";
import type { Project } from "#src/domain/workspaces/projects/index.ts";
import { report, type Executor } from "./executor.ts";
import { closeShellSessions, endContainerTasks, recordStage } from "./queries/transition.ts";

/**
 * Starts the wanted containers; running ones are left alone. A failure does not stop the others. Returns a message about
 * the failures, or null. Throws `OvertakenError` once the project must stop.
 */
export async function startEnvironment(executor: Executor, project: Project): Promise<string | null> {
  const { deps, runtime, lease } = executor;
  await report(executor, project, { percentage: 55, message: "Starting containers" });
  const ended = await startContainers(deps, project, runtime, {
    onProgress: (message) => report(executor, project, { percentage: 70, message }),
    signal: lease.signalWhile("running"),
  });
  await lease.renew();
  // Only the first part of the error: callers who may not read container logs can see projects and background tasks.
  const outcomes = ended.map((outcome) => ({
    ...outcome,
    error: outcome.error === null ? null : withoutOutput(outcome.error),
  }));
  for (const outcome of outcomes) await endContainerTasks(deps.db, project, outcome);
  const failed = outcomes.filter(({ status }) => status === "failed");
  if (failed.length === 0) return null;
  return failed.map(({ name, error }) => `${name} did not start: ${error ?? "unknown"}`).join("; ");
}

/** Ends everything that runs in the project. Its files stay. */
export async function stopEnvironment(executor: Executor, project: Project): Promise<Project> {
  const { deps, runtime, lease } = executor;
  await stopContainers(deps, project, runtime, {});
  await runtime.stopProcesses();
  await closeShellSessions(deps.db, project.id);
  // A recorded stage resets the attempt count, so it is recorded only when it changes something.
  if (project.startedAt === null) return lease.renew();
  return lease.hold(await recordStage(deps.db, project, { startedAt: null }));
}
