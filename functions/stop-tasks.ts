import { stopTasksOf } from "#src/domain/agent-work/tasks/index.ts";
import { endChannelsOf } from "#src/domain/messaging/channels/index.ts";
import { LostAccess } from "#src/domain/organisations/access/index.ts";
import { defineFunction } from "./serve.ts";

/** Ends what works on after access was lost: tasks of a revoked key or of people who may no longer write, and channels. */
export const stopTasks = defineFunction({
  name: "stop-tasks",
  payload: LostAccess,
  async run(services, lost) {
    await stopTasksOf(services, lost);
    await endChannelsOf(services, lost);
  },
});
