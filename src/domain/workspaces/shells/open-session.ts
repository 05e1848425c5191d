import type { Caller } from "#src/domain/access/permissions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { containersOf } from "#src/domain/workspaces/containers/index.ts";
import { requireNoClone } from "#src/domain/source-control/repositories/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { activateSession, endSession, insertSession, type ShellSession } from "./queries.ts";

export interface ShellDeps {
  db: Db;
  workspaces: Pick<ProjectWorkspaces, "runtime">;
}

export interface SessionInput {
  /** Id or slug of the project. */
  project: string;
  /** Command line of the program. */
  command: string;
  /** Name, label or id of the container in whose directory the shell starts; the project's root when absent. */
  container?: string | undefined;
  /** Chat whose agent opens the session, which ends with the chat at the latest. */
  chatId?: string;
  columns?: number;
  rows?: number;
}

/** Where programs see the project's files. */
const MOUNT = "/app";

/**
 * Opens a shell session in a running project. Throws as `requireProject` does, `invalid_input` if the project does not
 * run, `conflict` while a clone is in progress, `not_found` for an unknown container, and `rate_limited` for a person,
 * a project or a chat with too many sessions.
 */
export async function openSession(
  deps: ShellDeps & { config: CeilingConfig<"shells_of_person" | "shells_of_project" | "shells_of_chat"> },
  caller: Caller,
  input: SessionInput,
): Promise<ShellSession> {
  const project = await requireProject(deps, caller, input.project, "terminal.access");
  if (project.status !== "running") {
    throw new AppError("invalid_input", "The project is not running: start it first");
  }
  await requireNoClone(deps.db, project.id);
  const directory = await directoryOf(deps.db, project.id, input.container);
  const session = await insertSession(deps, {
    id: newId(),
    projectId: project.id,
    userId: caller.userId,
    chatId: input.chatId ?? null,
    command: input.command,
    workingDir: directory === "" ? MOUNT : `${MOUNT}/${directory}`,
  });
  const runtime = deps.workspaces.runtime(project.id);
  const { columns = 80, rows = 24 } = input;
  try {
    await runtime.openShell(session.id, { command: input.command, cwd: directory, columns, rows });
  } catch (error) {
    await endSession(deps.db, session.id, { status: "failed", exitCode: null });
    throw error;
  }
  const active = await activateSession(deps.db, session.id);
  if (active) return active;
  // While the program was starting, the project was stopped or the session was closed.
  await runtime.closeShell(session.id);
  throw new AppError("invalid_input", "The project is not running: start it first");
}

async function directoryOf(db: Db, projectId: string, named: string | undefined): Promise<string> {
  if (named === undefined) return "";
  const container = (await containersOf(db, projectId)).find(({ id, name, label }) =>
    [id, name, label].includes(named),
  );
  if (!container) throw new AppError("not_found", "Container not found");
  return container.directory;
}
