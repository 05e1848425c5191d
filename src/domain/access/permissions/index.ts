export { arrivingCaller, arrivingUser, type ArrivingCaller } from "./arriving.ts";
export { authorize, isAuthorized, requireRole } from "./authorize.ts";
export {
  authenticateGrant,
  authenticateKey,
  authenticateUser,
  callerFor,
  callerOfKey,
  hashOfKey,
} from "./authenticate.ts";
export {
  asMember,
  holdsScope,
  memberCaller,
  reachesProject,
  reachesTeam,
  requireKeyProject,
  requireKeyScope,
  type Caller,
  type KeyCaller,
  type UserCaller,
} from "./caller.ts";
export { accessLost, endTasksOf, endTasksOfKeys, type LostAccess } from "./end-tasks-of.ts";
export { keyByHash, keyThatMay, teamOfApp, userOfSession } from "./queries.ts";
export { isOwn } from "./private.ts";
export { isRefusal, LastingAccess, TRUST_MS } from "./lasting-access.ts";
export { renewCaller, StoredCaller } from "./renew-caller.ts";
export { seenKey } from "./seen-keys.ts";
export {
  isScope,
  LISTED_SCOPES,
  roleGrants,
  ROLES,
  rolesGranting,
  scopesOfRole,
  type ListedScope,
  type Role,
  type Scope,
} from "./scopes.ts";
