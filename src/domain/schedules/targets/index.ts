export { parseTargets, requireTargets, targetName, type Target } from "./parse-targets.ts";
export { originChat } from "./queries.ts";
export { notifyOwner, type Notice, type NoticeDeps } from "./notify-owner.ts";
export { resolveTarget, type ScheduleOrigin, type Recipient, type Resolved } from "./resolve-target.ts";
