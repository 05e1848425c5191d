import { endDue, isEndMailed, MAILED_ORIGINS } from "#src/domain/agent-work/task-mails/index.ts";
import type { FollowUps } from "#src/domain/agent-work/tasks/index.ts";
import { questionsDue, replyDue } from "#src/domain/messaging/deliveries/index.ts";
import { lookDue } from "#src/domain/messaging/progress/index.ts";
import { runDue } from "#src/domain/schedules/runs/index.ts";

/** What a person began, and may be mailed about. */
const mailed = { unpublished: { job: endDue, where: isEndMailed } };

/** What follows once a task waits or has ended, by the kind of its source. */
export const FOLLOW_UPS: FollowUps = {
  ...Object.fromEntries(MAILED_ORIGINS.map((origin) => [origin, mailed])),
  channel: { working: lookDue, asking: questionsDue, ended: replyDue },
  schedule: { asking: questionsDue, job: runDue, ...mailed },
};
