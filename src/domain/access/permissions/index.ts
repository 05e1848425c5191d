export { authorize, isAuthorized, requireRole } from "./authorize.ts";
export { authenticateKey, authenticateUser, callerFor, callerOfKey, hashOfKey } from "./authenticate.ts";
export {
  asMember,
  holdsScope,
  memberCaller,
  reachesProject,
  requireKeyProject,
  requireKeyScope,
  type Caller,
  type KeyCaller,
  type UserCaller,
} from "./caller.ts";
export { accessLost, endTasksOf, endTasksOfKeys, type LostAccess } from "./end-tasks-of.ts";
export { keyByHash, userOfSession } from "./queries.ts";
export { isOwn } from "./private.ts";
export { isRefusal, LastingAccess, TRUST_MS } from "./lasting-access.ts";
export { renewCaller, StoredCaller } from "./renew-caller.ts";
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
