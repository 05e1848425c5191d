import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProcessState } from "#src/platform/runtime/project-processes.ts";
import type { ContainerRuntime } from "./container-runtime.ts";
import { containersOf, markOutcome, markStopped, markWanted, type Container } from "./queries.ts";

/**
 * Ends the programs of a project's containers, or of some, and records it. Idempotent; a sleeping project has no
 * programs. Throws the runtime's error if the runtime does not respond.
 */
export async function stopContainers(
  { db }: { db: Db },
  project: { id: string },
  runtime: ContainerRuntime,
  { only }: { only?: readonly string[] } = {},
): Promise<void> {
  if (runtime.runsProcesses) {
    const ids = only ?? (await containersOf(db, project.id)).map(({ id }) => id);
    await unlessAsleep(Promise.all(ids.map((id) => runtime.stopProcess(id))));
  }
  await markStopped(db, project.id, only);
}

/**
 * Compares the stored states with the running programs. A container whose program has ended is `stopped` after exit
 * code 0 and `failed` otherwise. If its program vanished with the whole environment, the container is `starting` again,
 * and the sweep restarts it. Containers that are being started are left alone.
 */
export async function refreshContainers(
  { db }: { db: Db },
  project: { id: string },
  runtime: ContainerRuntime,
): Promise<void> {
  if (!runtime.runsProcesses) return;
  const running = (await containersOf(db, project.id)).filter(isProgramThatRuns);
  if (running.length === 0) return;
  const processes = await unlessAsleep(runtime.processes());
  await Promise.all(
    running.map(async (container) => {
      const process = processes?.find(({ name }) => name === container.id);
      if (process?.running) return;
      await markOutcome(db, container, process ? ended(process) : { status: "starting", error: null });
    }),
  );
}

function ended({ exitCode }: ProcessState): Pick<Container, "status" | "error"> {
  if (exitCode === 0) return { status: "stopped", error: null };
  return { status: "failed", error: `The program ended with ${exitCode}; its log shows the reason` };
}

/** Records whether all or some containers run while their project runs. */
export async function setContainersWanted(
  { db }: { db: Db },
  projectId: string,
  wanted: boolean,
  only?: readonly string[],
): Promise<void> {
  await markWanted(db, projectId, wanted, only);
}

export function isProgramThatRuns({ status, startupCommand, deploymentMode }: Container): boolean {
  return status === "running" && deploymentMode === "container" && Boolean(startupCommand);
}

/** Returns `undefined` while the project's files are absent. */
async function unlessAsleep<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.code === "asleep") return undefined;
    throw error;
  }
}
