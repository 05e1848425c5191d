import {
  requireKeyProject,
  requireKeyScope,
  roleGrants,
  type Caller,
  type Role,
  type Scope,
} from "#src/domain/access/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { projectWithRole, type Project, type Somebody } from "./queries.ts";

/** A project somebody may work on, and as what. */
export type OpenProject = Project & { role: Role };

/**
 * The project with this id or slug, for a caller who may do this to it: a key's permissions are bounded by what its owner
 * is in the team and in the project. One query. Throws `not_found` where there is no
 * such project or the caller has no part in it, `forbidden` where a key is bound to others or the role is too low.
 */
export async function requireProject(
  deps: { db: Db },
  caller: Caller,
  idOrSlug: string,
  scope: Scope,
): Promise<OpenProject> {
  // An id tells at once whether a bound key may ask, so that a foreign project and no project look the same.
  if (isId(idOrSlug)) requireKeyProject(caller, idOrSlug.toLowerCase());
  else if (!isSlug(idOrSlug)) throw notFound();
  const [row] = await projectWithRole(deps.db, idOrSlug, somebodyOf(caller));
  if (!row?.role || (caller.kind === "key" && caller.teamId !== row.project.teamId)) throw notFound();
  const { project, role } = row;
  requireKeyProject(caller, project.id);
  if (caller.kind === "key") requireKeyScope(caller, scope);
  if (!roleGrants(role, scope)) {
    throw new AppError("forbidden", `Role '${role}' does not have permission '${scope}'`);
  }
  return { ...project, role };
}

/** The person a caller's role is decided by: of a key, its owner, who has no more than a member's rights through it. */
export function somebodyOf(caller: Caller): Somebody & { userId: string } {
  return { userId: caller.userId, isSuperuser: caller.kind === "user" && caller.isSuperuser };
}

function isSlug(text: string): boolean {
  return /^[a-z0-9~-]{1,100}$/u.test(text);
}

function notFound(): AppError {
  return new AppError("not_found", "Project not found");
}
