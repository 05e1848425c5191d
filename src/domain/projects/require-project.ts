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
import { projectWithRole, type Project } from "./queries.ts";

/** A project somebody may work on, and as what. */
export type OpenProject = Project & { role: Role };

/**
 * The project with this id or slug, for a caller who may do this to it. One query. Throws `not_found` where there is no
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
  const [row] = await projectWithRole(deps.db, idOrSlug, caller.userId);
  const role = row && roleIn(row.project, row.role, caller);
  if (!row || !role) throw notFound();
  requireKeyProject(caller, row.project.id);
  if (caller.kind === "key") requireKeyScope(caller, scope);
  if (!roleGrants(role, scope)) {
    throw new AppError("forbidden", `Role '${role}' does not have permission '${scope}'`);
  }
  return { ...row.project, role };
}

/** The caller's part in a project; `undefined` for one who is not to know that it exists. */
function roleIn(project: Project, role: Role | null, caller: Caller): Role | undefined {
  if (!role) return undefined;
  if (caller.kind === "key" && caller.teamId !== project.teamId) return undefined;
  const open = project.visibility !== "private" || project.ownerId === caller.userId || role === "admin";
  return open ? role : undefined;
}

function isSlug(text: string): boolean {
  return /^[a-z0-9~-]{1,100}$/u.test(text);
}

function notFound(): AppError {
  return new AppError("not_found", "Project not found");
}
