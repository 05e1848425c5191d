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

/** A program that presented a `tsk_` key, or a connected app. */
export interface KeyCaller {
  kind: "key";
  keyId: string;
  userId: string;
  teamId: string;
  /** Whether it is a connected app, which reaches the projects of its team alone: a person allowed it in that team. */
  isApp: boolean;
  /** The owner's current role in the key's team. It limits the key at every call. */
  role: Role;
  /** Permissions of the key; null means all that the owner's role grants. */
  scopes: readonly string[] | null;
  /** Projects the key is bound to; null reaches every project that its owner reaches, for an app those of its team. */
  projectIds: readonly string[] | null;
}

export type Caller = UserCaller | KeyCaller;

/** A person who acts without a sign-in, as a plain member: an administrator's rights need one. */
export function memberCaller(userId: string): UserCaller {
  return { kind: "user", userId, sessionId: "", isSuperuser: false };
}

/** The caller without the rights of an administrator of the installation. */
export function asMember<C extends Caller>(caller: C): C {
  return caller.kind === "user" ? { ...caller, isSuperuser: false } : caller;
}

/** Whether a key carries a permission that its owner's current role grants. */
export function holdsScope({ scopes, role }: KeyCaller, scope: Scope): boolean {
  return (scopes === null || scopes.includes(scope)) && roleLeavesKey(role, scope);
}

/** Checks a key's own permissions and those of its owner's current role. Throws `forbidden`. */
export function requireKeyScope(caller: KeyCaller, scope: Scope): void {
  if (caller.scopes !== null && !caller.scopes.includes(scope)) {
    throw new AppError("forbidden", `API key lacks required scope: ${scope}`);
  }
  if (!roleLeavesKey(caller.role, scope)) {
    throw new AppError("forbidden", `Key owner's role no longer grants: ${scope}`);
  }
}

/** Refuses a project-scoped key that asks for another project, before any lookup. Throws `forbidden`. */
export function requireKeyProject(caller: Caller, projectId: string): void {
  if (!reachesProject(caller, projectId)) {
    throw new AppError("forbidden", "API key does not have access to this project");
  }
}

/** Whether the caller is not a connected app that was allowed in another team. */
export function reachesTeam(caller: Caller, teamId: string): boolean {
  return caller.kind !== "key" || !caller.isApp || caller.teamId === teamId;
}

/** Whether the caller is not a key that is bound to other projects. */
export function reachesProject(caller: Caller, projectId: string): boolean {
  return caller.kind !== "key" || (caller.projectIds?.includes(projectId.toLowerCase()) ?? true);
}
