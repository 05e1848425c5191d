import { reachesProject, type Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject, type OpenProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { sessionOf, type ShellSession } from "./queries.ts";

/**
 * A session, for the person who opened it and may still use terminals of its project. Throws `not_found` for any other
 * session, and as `requireProject` does.
 */
export async function requireSession(deps: { db: Db }, caller: Caller, id: string): Promise<ShellSession> {
  const { session } = await openedSession(deps, caller, id);
  if (session.userId !== caller.userId) throw noSession();
  return session;
}

/** As `requireSession`, also for administrators of the project, who may close other people's sessions. */
export async function requireClosableSession(
  deps: { db: Db },
  caller: Caller,
  id: string,
): Promise<ShellSession> {
  const { session, project } = await openedSession(deps, caller, id);
  if (session.userId !== caller.userId && project.role !== "admin") throw noSession();
  return session;
}

async function openedSession(
  deps: { db: Db },
  caller: Caller,
  id: string,
): Promise<{ session: ShellSession; project: OpenProject }> {
  const [session] = isId(id) ? await sessionOf(deps.db, id) : [];
  if (!session) throw noSession();
  // A key bound to other projects learns of the session only if its owner opened it.
  if (session.userId !== caller.userId && !reachesProject(caller, session.projectId)) throw noSession();
  try {
    return { session, project: await requireProject(deps, caller, session.projectId, "terminal.access") };
  } catch (error) {
    // For a person without a role in the project, the session does not exist either.
    if (error instanceof AppError && error.code === "not_found") throw noSession();
    throw error;
  }
}

function noSession(): AppError {
  return new AppError("not_found", "Shell session not found");
}
