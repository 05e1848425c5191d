import { AppError } from "#src/lib/errors.ts";
import { requireKeyProject, requireKeyScope, type Caller } from "./caller.ts";
import { roleGrants, type Role, type Scope } from "./scopes.ts";

/** A chat or a task as it was found: both belong to one person, in a project that others may be part of. */
interface Found {
  ownerId: string;
  project: { id: string; teamId: string };
  /** The caller's role in the project; null for a stranger. */
  role: Role | null;
}

/**
 * Whether a chat or a task is the viewer's own. Chats are private: colleagues, administrators of the team included, see neither
 * a chat nor the tasks in it, over HTTP as over sockets. See docs/decisions/0028-agent-permissions.md.
 */
export function isOwn(viewer: { userId: string }, { userId }: { userId: string }): boolean {
  return viewer.userId === userId;
}

/**
 * The rule for a chat or a task that is asked for by its id: it is the caller's own, and the caller's role and key still allow
 * this in its project. Throws `forbidden` where role or key do not allow it to anybody's, and `not_found` with `missing` where it
 * does not exist for the caller.
 */
export function requireOwn(caller: Caller, found: Found, scope: Scope, missing: string): void {
  const { ownerId, project, role } = found;
  if (!role || (caller.kind === "key" && caller.teamId !== project.teamId)) {
    throw new AppError("not_found", missing);
  }
  requireKeyProject(caller, project.id);
  if (caller.kind === "key") requireKeyScope(caller, scope);
  if (!roleGrants(role, scope)) {
    throw new AppError("forbidden", `Role '${role}' does not have permission '${scope}'`);
  }
  if (!isOwn(caller, { userId: ownerId })) throw new AppError("not_found", missing);
}
