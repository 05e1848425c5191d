export { beginOAuthLogin } from "./begin-login.ts";
export { finishOAuthLogin } from "./finish-login.ts";
export { claimFlow, FLOW_SECONDS, openFlow, type FlowDeps } from "./flow.ts";
