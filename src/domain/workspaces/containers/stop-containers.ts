import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProcessState } from "#src/platform/runtime/project-processes.ts";
import type { ContainerRuntime } from "./container-runtime.ts";
import { containersOf, markOutcome, markStopped, markWanted, type Container } from "./queries.ts";

/**
 * End the programs of a project's containers, or of some, and note it. Safe to repeat; where the files are away, nothing
 * runs. Throws what the runtime throws where it does not answer.
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
 * Compare what is stored with what runs: a container whose program has ended is `stopped` when it ended well and `failed`
 * otherwise; one whose program went with all that ran in the project is `starting` again, which the sweep of the projects
 * sees to. Containers that are being started are left to whoever starts them.
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

/** Say whether containers, all or some, run while their project runs. */
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

/** Nothing where the files are away. */
async function unlessAsleep<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.code === "asleep") return undefined;
    throw error;
  }
}
