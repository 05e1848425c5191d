export { runDue, tickDue } from "./functions.ts";
export { finishRun } from "./finish-run.ts";
export { extraTicks, keepTicking } from "./keep-ticking.ts";
export { listRuns } from "./list-runs.ts";
export type { ShownRun } from "./queries/run.ts";
export { requestRun, startRun, triggerRun } from "./start-run.ts";
export { forgetOldRuns, sweepRuns } from "./sweep-runs.ts";
export { tick, tickOverdue, type TickDeps } from "./tick.ts";
