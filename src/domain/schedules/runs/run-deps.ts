import type { StartDeps } from "#src/domain/agent-work/tasks/index.ts";
import type { NoticeDeps } from "#src/domain/schedules/targets/index.ts";

/** What a run is started, and its result delivered, with. */
export type RunDeps = StartDeps & NoticeDeps;
