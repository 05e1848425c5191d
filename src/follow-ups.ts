import type { FollowUps } from "#src/domain/agent-work/tasks/index.ts";
import { questionsDue, replyDue } from "#src/domain/messaging/deliveries/index.ts";
import { runDue } from "#src/domain/schedules/runs/index.ts";

/** What follows once a task waits or has ended, by the kind of its source. */
export const FOLLOW_UPS: FollowUps = {
  channel: { asking: questionsDue, ended: replyDue },
  schedule: { asking: questionsDue, job: runDue },
};
