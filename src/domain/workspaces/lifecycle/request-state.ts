import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject, settleMessage, type OpenProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { requireFiles } from "./require-files.ts";
import { wantHibernated, wantRunning, wantStopped } from "./queries/wishes.ts";

export interface RequestDeps {
  db: Db;
  queue: Pick<Queue, "publish">;
}

/*
 * Each request stores the wanted state with its job, which it publishes; the last request wins. All throw as `requireProject`
 * does.
 */

/**
 * Starts a project with all its containers. A failed setup is retried. Returns whether the project is already running.
 * Throws `conflict` during the setup.
 */
export async function requestStart(
  deps: RequestDeps,
  caller: Caller,
  idOrSlug: string,
): Promise<{ project: OpenProject; alreadyRunning: boolean }> {
  const project = await requireProject(deps, caller, idOrSlug, "container.start_stop");
  requireFirstFiles(project, { orFailed: true });
  return { project, alreadyRunning: !(await startUnlessRunning(deps, project.id)) };
}

/**
 * Requests that a project runs with all its containers. False for one that runs, is being set up or is deleted. Checks no
 * permission.
 */
export async function startUnlessRunning(deps: RequestDeps, projectId: string): Promise<boolean> {
  return publish(deps, projectId, await wantRunning(deps.db, projectId, { evenIfRunning: false }));
}

/**
 * Stops a project: saves its files in a snapshot, then removes its runtime. Returns whether there is anything to stop.
 * Throws `conflict` for a project without files.
 */
export async function requestStop(
  deps: RequestDeps,
  caller: Caller,
  idOrSlug: string,
): Promise<{ project: OpenProject; alreadyHibernated: boolean }> {
  const project = await requireProject(deps, caller, idOrSlug, "container.start_stop");
  requireFirstFiles(project);
  const isWanted = await publish(deps, project.id, await wantHibernated(deps.db, project.id));
  return { project, alreadyHibernated: !isWanted };
}

/**
 * Moves a project's files into a snapshot because the platform ends what they are on; its next use wakes it elsewhere.
 * Checks no permission.
 */
export async function hibernateBeforeEnd(deps: RequestDeps, projectId: string): Promise<void> {
  await publish(deps, projectId, await wantHibernated(deps.db, projectId));
}

/** As `requestStop`, but throws `invalid_input` when the project is already hibernated or being stopped. */
export async function requestHibernation(
  deps: RequestDeps,
  caller: Caller,
  idOrSlug: string,
): Promise<OpenProject> {
  const project = await requireProject(deps, caller, idOrSlug, "container.start_stop");
  if (project.wanted === "hibernated")
    throw new AppError("invalid_input", "The project is already being stopped");
  if (project.status === "hibernated" && !project.wanted) {
    throw new AppError("invalid_input", "The project is already hibernated");
  }
  requireFirstFiles(project);
  await publish(deps, project.id, await wantHibernated(deps.db, project.id));
  return project;
}

/**
 * Ends everything that runs in a project; its files stay where they are. Throws `conflict` for a project without files.
 */
export async function requestStopAll(
  deps: RequestDeps,
  caller: Caller,
  idOrSlug: string,
): Promise<OpenProject> {
  const project = await requireProject(deps, caller, idOrSlug, "container.start_stop");
  requireFirstFiles(project);
  await publish(deps, project.id, await wantStopped(deps.db, project.id));
  return project;
}

/** Publishes the job of what is wanted, if it was stored. Returns whether it was. */
export async function publish(
  { queue }: Pick<RequestDeps, "queue">,
  projectId: string,
  generation: string | undefined,
): Promise<boolean> {
  if (generation === undefined) return false;
  await queue.publish(settleMessage(projectId, generation));
  return true;
}

/** Throws `conflict` for a project whose setup is in progress or has failed, or whose files are gone for good. */
export function requireFirstFiles(
  project: Pick<OpenProject, "status" | "error" | "lostAt">,
  { orFailed = false } = {},
): void {
  const { status, error } = project;
  if (status === "initializing")
    throw new AppError("conflict", "The project is being set up; try again later");
  if (status === "failed" && !orFailed) {
    throw new AppError("conflict", `${error ?? "The project could not be set up"}. Start it to try again`);
  }
  if (status !== "failed") requireFiles(project);
}
