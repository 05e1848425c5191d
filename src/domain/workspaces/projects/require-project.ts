import type { SQL } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import {
  authorize,
  requireKeyProject,
  roleGrants,
  type ArrivingCaller,
  type Caller,
  type Role,
  type Scope,
} from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import {
  noteAdministrator,
  projectIdOf,
  projectWithRole,
  type Person,
  type Project,
} from "./queries/projects.ts";

const MISSING = "Project not found";

/** A project, with the caller's role in it. */
export type OpenProject = Project & { role: Role };

/**
 * Returns the project with this id or slug if the caller has the permission on it. A `tsk_` key reaches what its owner reaches, in
 * any team; a connected app, in its own team alone. Their permissions are limited by the owner's roles in the key's team and in the project. What an administrator of
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
  checkReach(caller, idOrSlug);
  return opened(deps, caller, scope, await projectWithRole(deps.db, idOrSlug, viewerOf(caller)));
}

/**
 * As `requireProject`, with more that is read of the project in the same round trip, and with the sign-in of a caller for whom
 * it has not been read. `reads` is given the project's id as an expression, which is null where there is none. Throws
 * `unauthenticated`, too. An administrator of the installation takes one more round trip, with those rights.
 */
export async function requireProjectAndRead<const T extends readonly BatchItem<"pg">[]>(
  deps: { db: Db },
  caller: Caller | ArrivingCaller,
  idOrSlug: string,
  scope: Scope,
  reads: (projectId: SQL) => T,
): Promise<{ project: OpenProject; read: BatchResponse<T> }> {
  if (caller.kind === "arriving") return arrive(deps, caller, idOrSlug, scope, reads);
  checkReach(caller, idOrSlug);
  const [found, ...read] = await deps.db.batch([
    projectWithRole(deps.db, idOrSlug, viewerOf(caller)),
    ...reads(projectIdOf(idOrSlug)),
  ]);
  const project = await opened(deps, caller, scope, found);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the reads return one by one
  return { project, read: read as unknown as BatchResponse<T> };
}

async function arrive<const T extends readonly BatchItem<"pg">[]>(
  deps: { db: Db },
  arriving: ArrivingCaller,
  idOrSlug: string,
  scope: Scope,
  reads: (projectId: SQL) => T,
): Promise<{ project: OpenProject; read: BatchResponse<T> }> {
  const { presented } = arriving;
  checkReach(presented, idOrSlug);
  const [signIn, found, ...read] = await deps.db.batch([
    arriving.signIn(deps.db),
    projectWithRole(deps.db, idOrSlug, viewerOf(presented)),
    ...reads(projectIdOf(idOrSlug)),
  ]);
  const caller = arriving.admit(signIn);
  if (caller.isSuperuser) return requireProjectAndRead(deps, caller, idOrSlug, scope, reads);
  const project = await opened(deps, caller, scope, found);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the reads return one by one
  return { project, read: read as unknown as BatchResponse<T> };
}

/** With an id, a bound key is refused before the lookup, so that a foreign project and a missing one look the same. */
function checkReach(caller: Caller, idOrSlug: string): void {
  if (isId(idOrSlug)) requireKeyProject(caller, idOrSlug.toLowerCase());
  else if (!isSlug(idOrSlug)) throw new AppError("not_found", MISSING);
}

async function opened(
  deps: { db: Db },
  caller: Caller,
  scope: Scope,
  [row]: Awaited<ReturnType<typeof projectWithRole>>,
): Promise<OpenProject> {
  if (!row) throw new AppError("not_found", MISSING);
  const viewer = viewerOf(caller);
  const { project, memberRole } = row;
  const role = authorize(caller, scope, { role: row.role, projectId: project.id }, MISSING);
  if (viewer.isSuperuser && !(memberRole && roleGrants(memberRole, scope))) {
    await noteAdministrator(deps.db, { userId: viewer.userId, project, scope });
  }
  return { ...project, role };
}

/** The person whose role decides for a caller. For a key its owner, never with superuser rights; for an app, in its team. */
export function viewerOf(caller: Caller): Person {
  const { userId } = caller;
  if (caller.kind === "user") return { userId, isSuperuser: caller.isSuperuser };
  return { userId, isSuperuser: false, teamId: caller.isApp ? caller.teamId : undefined };
}

function isSlug(text: string): boolean {
  return /^[a-z0-9~-]{1,100}$/u.test(text);
}
