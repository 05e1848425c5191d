export { describeTiming } from "./describe-timing.ts";
export { lateAfterMs, nextRun } from "./next-run.ts";
export { parseSchedule } from "./parse-schedule.ts";
export { previewSchedule } from "./preview-schedule.ts";
export { renderTemplate } from "./render-template.ts";
export type { Parsed, Timing } from "./timing.ts";
export { requireTimezone } from "./zones.ts";
