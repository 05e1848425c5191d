import { startContainers, stopContainers, withoutOutput } from "#src/domain/containers/index.ts";
import type { Project } from "#src/domain/projects/index.ts";
import { report, type Executor } from "./executor.ts";
import { closeShellSessions, endContainerTasks, recordStep } from "./queries/way.ts";

/**
 * Start the containers that are wanted; those that run already go on. One that fails keeps the others from nothing:
 * answers a sentence about those that failed, or null. Throws `OvertakenError` once the project is to stop.
 */
export async function startEnvironment(executor: Executor, project: Project): Promise<string | null> {
  const { deps, runtime, lease } = executor;
  await report(executor, project, { percentage: 55, message: "Starting containers" });
  const ended = await startContainers(deps, project, runtime, {
    onProgress: (message) => report(executor, project, { percentage: 70, message }),
    signal: lease.signalWhile("running"),
  });
  await lease.renew();
  // Projects and background tasks are shown to callers who may not read the logs of containers.
  const outcomes = ended.map((outcome) => ({
    ...outcome,
    error: outcome.error === null ? null : withoutOutput(outcome.error),
  }));
  for (const outcome of outcomes) await endContainerTasks(deps.db, project, outcome);
  const failed = outcomes.filter(({ status }) => status === "failed");
  if (failed.length === 0) return null;
  return failed.map(({ name, error }) => `${name} did not start: ${error ?? "unknown"}`).join("; ");
}

/** End all that runs in the project. Its files stay. */
export async function stopEnvironment(executor: Executor, project: Project): Promise<Project> {
  const { deps, runtime, lease } = executor;
  await stopContainers(deps, project, runtime, {});
  await runtime.stopProcesses();
  await closeShellSessions(deps.db, project.id);
  // Only where something is behind by that: attempts at the rest of the way are counted together.
  if (project.startedAt === null) return lease.renew();
  return lease.hold(await recordStep(deps.db, project, { startedAt: null }));
}
