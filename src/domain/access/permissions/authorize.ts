import { AppError } from "#src/lib/errors.ts";
import { holdsScope, requireKeyProject, requireKeyScope, type Caller } from "./caller.ts";
import { isOwn } from "./private.ts";
import { roleGrants, type Role, type Scope } from "./scopes.ts";

/** What a request asks for, as a query found it. */
export interface Found {
  /** The caller's role in the project or team; null for a caller without one. */
  role: Role | null;
  /** The project that was found, or that contains what was found. */
  projectId?: string;
  /**
   * The team that was found. Absent for a project and its contents, because a `tsk_` key reaches the projects of all its owner's
   * teams; in those of other teams, a connected app has no role.
   */
  teamId?: string;
  /** The owner of a private resource. Chats and tasks are private, also from administrators, unless they are shared. */
  ownerId?: string;
  /** Whether the owner shares it with the people of the project: then their roles decide. */
  isShared?: boolean;
}

/**
 * Decides whether a caller may use a permission on what was found, and returns the caller's role. This is the only place
 * that decides it. The checks, in order: the caller has a role there, or `not_found`. The key's projects include it, the
 * key has the scope, the role of the key's owner in the key's team grants the permission, and the caller's role grants it,
 * or `forbidden`. The caller owns it if it is private and not shared, or `not_found`. `missing` is the message of `not_found`.
 */
export function authorize(caller: Caller, scope: Scope, found: Found, missing: string): Role {
  const isKey = caller.kind === "key";
  const { ownerId, isShared = false } = found;
  const isHidden = ownerId !== undefined && !isShared && !isOwn(caller, { userId: ownerId });
  const isOtherTeam = isKey && found.teamId !== undefined && found.teamId !== caller.teamId;
  // A `forbidden` for the key's projects would reveal that another person's task exists.
  if (!found.role || isOtherTeam || (isKey && isHidden)) throw new AppError("not_found", missing);
  if (found.projectId !== undefined) requireKeyProject(caller, found.projectId);
  if (isKey) requireKeyScope(caller, scope);
  requireRole(found.role, scope);
  if (isHidden) throw new AppError("not_found", missing);
  return found.role;
}

/** Whether a caller with this role in a project, which was already opened for them, may also use a permission there. */
export function isAuthorized(caller: Caller, scope: Scope, role: Role): boolean {
  return roleGrants(role, scope) && (caller.kind === "user" || holdsScope(caller, scope));
}

/** Throws `forbidden` where a role does not grant a permission. */
export function requireRole(role: Role, scope: Scope): void {
  if (roleGrants(role, scope)) return;
  throw new AppError("forbidden", `Role '${role}' does not have permission '${scope}'`);
}
