import { AppError } from "#src/lib/errors.ts";
import { roleLeavesKey, type Role, type Scope } from "./scopes.ts";

/** A person who presented an access token. */
export interface UserCaller {
  kind: "user";
  userId: string;
  /** The sign-in that the token came from. */
  sessionId: string;
  isSuperuser: boolean;
}

/** A program that presented a `tsk_` key. */
export interface KeyCaller {
  kind: "key";
  keyId: string;
  userId: string;
  teamId: string;
  /** The owner's current role in the key's team: it bounds the key at every call. */
  role: Role;
  /** Permissions of the key; null has all the role grants. */
  scopes: readonly string[] | null;
  /** Projects the key is bound to; null reaches every project of its team. */
  projectIds: readonly string[] | null;
}

export type Caller = UserCaller | KeyCaller;

/** Both gates of a key: its own permissions, and what its owner's role still grants. Throws `forbidden`. */
export function requireKeyScope(caller: KeyCaller, scope: Scope): void {
  if (caller.scopes !== null && !caller.scopes.includes(scope)) {
    throw new AppError("forbidden", `API key lacks required scope: ${scope}`);
  }
  if (!roleLeavesKey(caller.role, scope)) {
    throw new AppError("forbidden", `Key owner's role no longer grants: ${scope}`);
  }
}

/** A project-scoped key asking for another project is refused before anything is looked up. Throws `forbidden`. */
export function requireKeyProject(caller: Caller, projectId: string): void {
  if (!reachesProject(caller, projectId)) {
    throw new AppError("forbidden", "API key does not have access to this project");
  }
}

/** Whether the caller is not a key that is bound to other projects. */
export function reachesProject(caller: Caller, projectId: string): boolean {
  return caller.kind !== "key" || (caller.projectIds?.includes(projectId.toLowerCase()) ?? true);
}
