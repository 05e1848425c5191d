import {
  authorize,
  requireKeyProject,
  type Caller,
  type Role,
  type Scope,
} from "#src/domain/organisations/access/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { projectWithRole, type Project, type Viewer } from "./queries.ts";

const MISSING = "Project not found";

/** A project, with the caller's role in it. */
export type OpenProject = Project & { role: Role };

/**
 * Returns the project with this id or slug if the caller has the permission on it. A key reaches what its owner reaches, in
 * any team. Its permissions are limited by the owner's roles in the key's team and in the project. Takes one query. Throws
 * `not_found` when the project does not exist or the caller has no role in it, and `forbidden` when a key is bound to other
 * projects or the role does not suffice.
 */
export async function requireProject(
  deps: { db: Db },
  caller: Caller,
  idOrSlug: string,
  scope: Scope,
): Promise<OpenProject> {
  // With an id, a bound key is refused before the lookup, so that a foreign project and a missing one look the same.
  if (isId(idOrSlug)) requireKeyProject(caller, idOrSlug.toLowerCase());
  else if (!isSlug(idOrSlug)) throw new AppError("not_found", MISSING);
  const [row] = await projectWithRole(deps.db, idOrSlug, viewerOf(caller));
  if (!row) throw new AppError("not_found", MISSING);
  const { project, role } = row;
  return { ...project, role: authorize(caller, scope, { role, projectId: project.id }, MISSING) };
}

/** The person whose role decides for a caller. For a key its owner, never with superuser rights. */
export function viewerOf(caller: Caller): Viewer & { userId: string } {
  return { userId: caller.userId, isSuperuser: caller.kind === "user" && caller.isSuperuser };
}

function isSlug(text: string): boolean {
  return /^[a-z0-9~-]{1,100}$/u.test(text);
}
