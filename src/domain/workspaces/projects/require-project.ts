import {
  authorize,
  requireKeyProject,
  roleGrants,
  type Caller,
  type Role,
  type Scope,
} from "#src/domain/organisations/access/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { noteAdministrator, projectWithRole, type Person, type Project } from "./queries/projects.ts";

const MISSING = "Project not found";

/** A project, with the caller's role in it. */
export type OpenProject = Project & { role: Role };

/**
 * Returns the project with this id or slug if the caller has the permission on it. A key reaches what its owner reaches, in
 * any team. Its permissions are limited by the owner's roles in the key's team and in the project. What an administrator of
 * the installation could not do as a member is noted. Takes one query, and another one for the note. Throws `not_found` when
 * the project does not exist or the caller has no role in it, and `forbidden` when a key is bound to other projects or the
 * role does not suffice.
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
  const viewer = viewerOf(caller);
  const [row] = await projectWithRole(deps.db, idOrSlug, viewer);
  if (!row) throw new AppError("not_found", MISSING);
  const { project, memberRole } = row;
  const role = authorize(caller, scope, { role: row.role, projectId: project.id }, MISSING);
  if (viewer.isSuperuser && !(memberRole && roleGrants(memberRole, scope))) {
    await noteAdministrator(deps.db, { userId: viewer.userId, project, scope });
  }
  return { ...project, role };
}

/** The person whose role decides for a caller. For a key its owner, never with superuser rights. */
export function viewerOf(caller: Caller): Person {
  return { userId: caller.userId, isSuperuser: caller.kind === "user" && caller.isSuperuser };
}

function isSlug(text: string): boolean {
  return /^[a-z0-9~-]{1,100}$/u.test(text);
}
