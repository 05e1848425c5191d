export { advanceRun } from "./advance-run.ts";
export { forgetOldRuns } from "./forget-old-runs.ts";
export { tickDue } from "./functions.ts";
export { extraTicks, keepTicking } from "./keep-ticking.ts";
export { listRuns } from "./list-runs.ts";
export type { ShownRun } from "./queries/history.ts";
export { tellOwner } from "./tell-owner.ts";
export { tick, tickOverdue, type TickDeps } from "./tick.ts";
export { requestRun, triggerRun } from "./trigger-run.ts";
