export { cancelPlan, renewPlan } from "./change-plan.ts";
export { openPortal } from "./open-portal.ts";
export { readPlan, type Plan } from "./read-plan.ts";
export { subscribe } from "./subscribe.ts";
