export {
  claimFlow,
  claimFlowOfSession,
  openFlow,
  type FlowCookie,
  type FlowDeps,
  type FlowRefusal,
  type SessionCallback,
} from "./flow.ts";
export { consumeState } from "./queries.ts";
export { hasExpired, refreshedByOne, sealGrant, type StoredGrant } from "./stored-grant.ts";
