export { beginOAuthLogin } from "./begin-login.ts";
export { finishOAuthLogin } from "./finish-login.ts";
export {
  claimFlowOfSession,
  openFlow,
  type FlowCookie,
  type FlowDeps,
  type SessionCallback,
} from "./flow.ts";
export { hasExpired, refreshedByOne, sealGrant, type StoredGrant } from "./stored-grant.ts";
