import type { Caller } from "#src/domain/access/permissions/index.ts";
import { containersOf } from "#src/domain/workspaces/containers/index.ts";
import { requestStart, type WakeDeps } from "#src/domain/workspaces/lifecycle/index.ts";
import { requireProject, touchProjectNowAndThen } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ShellDeps } from "./open-session.ts";
import { endSession, recordWrite, type ShellSession } from "./queries.ts";
import { requireSession } from "./require-session.ts";

/** A place where a terminal may be opened. */
export interface TerminalTarget {
  /** `ctr:<container id>`. */
  id: string;
  name: string;
  type: string;
  status: string;
  port: number | null;
  /** The directory in which the shell starts, relative to the project. */
  directory: string;
}

/** Targets besides the containers. */
const ACTIONS = [
  { id: "ephemeral", name: "Shell", description: "A shell in the root directory of a running project" },
  {
    id: "environment",
    name: "Environment",
    description: "A shell in the project's root directory. A project that is not running is started",
  },
] as const;

/** The targets that a request for a terminal can name. Throws as `requireProject` does. */
export async function listTargets(deps: { db: Db }, caller: Caller, idOrSlug: string) {
  const project = await requireProject(deps, caller, idOrSlug, "terminal.access");
  const containers = await containersOf(deps.db, project.id);
  const targets = containers.map(({ id, name, containerType, status, port, directory }): TerminalTarget => ({
    id: `ctr:${id}`,
    name,
    type: containerType,
    status,
    port,
    directory,
  }));
  return { targets, actions: ACTIONS };
}

/** How long a terminal waits for its project to start, and the poll interval. */
const START_PATIENCE_MS = 120_000;
const LOOK_MS = 1_000;

/**
 * Makes sure that the project of a terminal runs: starts it if the caller may, and waits. Throws as `requestStart`
 * does, and `unavailable` when the start failed or takes too long.
 */
export async function startForTerminal(
  deps: WakeDeps,
  caller: Caller,
  projectId: string,
  { onProgress, signal }: { onProgress: (message: string) => void; signal: AbortSignal },
): Promise<void> {
  const { alreadyRunning } = await requestStart(deps, caller, projectId);
  if (alreadyRunning) return;
  const until = Date.now() + START_PATIENCE_MS;
  for (let last = ""; Date.now() < until;) {
    const { status, wanted, error, progress } = await requireProject(
      deps,
      caller,
      projectId,
      "terminal.access",
    );
    if (status === "running" && wanted !== "hibernated") return;
    if (wanted !== "running") throw new AppError("unavailable", error ?? "The project was stopped");
    const message = progress ?? "The project is starting";
    if (message !== last) onProgress(message);
    last = message;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    signal.throwIfAborted();
  }
  throw new AppError("unavailable", "The project is taking long to start: try again later");
}

/**
 * The session that a terminal resumes. Throws `not_found` for one of another person or project, `conflict` for an ended
 * one.
 */
export async function resumeSession(
  deps: { db: Db },
  caller: Caller,
  { id, projectId }: { id: string; projectId: string },
): Promise<ShellSession> {
  const session = await requireSession(deps, caller, id);
  if (session.projectId !== projectId) throw new AppError("not_found", "Shell session not found");
  if (session.status === "closed" || session.status === "failed") {
    throw new AppError("conflict", "The session has ended");
  }
  return session;
}

/** Records a person's use of a terminal: neither its session nor its project is idle. */
export async function noteTerminal(
  deps: { db: Db },
  { id, projectId }: { id: string; projectId: string },
  bytesWritten: number,
): Promise<void> {
  await recordWrite(deps.db, id, bytesWritten);
  await touchProjectNowAndThen(deps.db, projectId);
}

/** Records that the program of a session has ended by itself or was lost with its runtime. Idempotent. */
export async function recordEnd(deps: { db: Db }, id: string, exitCode: number | null): Promise<void> {
  await endSession(deps.db, id, { status: "closed", exitCode });
}

/** Ends a session that no terminal shows any more, and its program. Idempotent. */
export async function abandonSession(
  deps: ShellDeps,
  { id, projectId }: { id: string; projectId: string },
): Promise<void> {
  try {
    await deps.workspaces.runtime(projectId).closeShell(id);
  } catch (error) {
    // A sleeping project has no programs.
    if (!(error instanceof AppError) || error.code !== "asleep") throw error;
  }
  await endSession(deps.db, id, { status: "closed", exitCode: null });
}
