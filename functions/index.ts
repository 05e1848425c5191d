import { runStep } from "#src/agent/steps/run-step.ts";
import { deliverCallback } from "#src/domain/agent-work/callbacks/index.ts";
import { mailOwners } from "#src/domain/agent-work/mcp/index.ts";
import { mailTaskEnd, mailTaskQuestion } from "#src/domain/agent-work/task-mails/index.ts";
import * as tasks from "#src/domain/agent-work/tasks/index.ts";
import { handleEvent } from "#src/domain/billing/payment-events/index.ts";
import { sendPayout } from "#src/domain/billing/payouts/index.ts";
import { runDeployment } from "#src/domain/hosting/deployments/index.ts";
import { endChannelsOf } from "#src/domain/messaging/channels/index.ts";
import { advanceLeft, advanceSession, advanceSessions } from "#src/domain/conversations/sessions/index.ts";
import * as deliveries from "#src/domain/messaging/deliveries/index.ts";
import { eventsLeft, eventsReceived } from "#src/domain/messaging/inbox/index.ts";
import * as progress from "#src/domain/messaging/progress/index.ts";
import * as mail from "#src/domain/operations/mail/index.ts";
import { accessLost } from "#src/domain/access/permissions/index.ts";
import * as runs from "#src/domain/schedules/runs/index.ts";
import { cloneRepository } from "#src/domain/workspaces/git/index.ts";
import * as lifecycle from "#src/domain/workspaces/lifecycle/index.ts";
import { destroyWorkspace } from "#src/domain/workspaces/projects/index.ts";
import type { Services } from "#src/services.ts";
import type { Later } from "#src/work/execute.ts";
import { messageTo } from "#src/work/message.ts";
import { serve, serveFunction, serveJob } from "./serve.ts";

/** Every kind of job: what the kernel executes and sweeps. */
export const JOBS = [
  serveJob(deliverCallback),
  serveJob(deliveries.deliverMessage),
  serveJob(cloneRepository),
  serveJob(destroyWorkspace),
  serveJob(lifecycle.settleProject),
  serveJob(handleEvent),
  serveJob(sendPayout),
  serveJob(runDeployment),
  serveJob(runs.advanceRun),
  serveJob(runs.tellOwner),
  serveJob(mailTaskEnd),
  serveJob(mailTaskQuestion),
  serveJob(mailOwners),
];

/** Every function that the queue may call. Each may be called twice for one message. */
export const FUNCTIONS = [
  ...JOBS,

  serveFunction(tasks.stepDue, async (services, step) => {
    const outcome = await runStep(services, step);
    return outcome.kind === "busy" ? { retryAfterSeconds: outcome.retryAfterSeconds } : undefined;
  }),
  serveFunction(tasks.launchLost, (services, { taskId }) => tasks.resumeTask(services, taskId)),
  serveFunction(tasks.taskEnded, (services, { taskId }) => tasks.followUpTask(services, taskId)),
  serveFunction(accessLost, async (services, lost) => {
    await tasks.stopTasksOf(services, lost);
    await endChannelsOf(services, lost);
  }),

  serveFunction(eventsReceived, advanceSessions),
  serveFunction(eventsLeft, advanceLeft),
  serveFunction(deliveries.questionsDue, (services, { taskId }) =>
    deliveries.sendApprovalCards(services, taskId),
  ),
  serveFunction(deliveries.replyDue, (services, { taskId }) => sendReply(services, taskId)),
  serveFunction(progress.lookDue, progress.showProgress),
  serveFunction(mail.mailDue, mail.deliverMail),

  serveFunction(runs.tickDue, tickSchedules),

  serveFunction(lifecycle.saveDue, (services, { projectId }) => lifecycle.saveProject(services, projectId)),
];

/** They are at `/functions/{name}`. */
export const functions = serve(FUNCTIONS);

/** Sends a task's reply; then its session goes on with what waits. */
async function sendReply(services: Services, taskId: string): Promise<Later | undefined> {
  const reply = await deliveries.replyToTask(services, taskId);
  return reply?.isWaiting ? advanceSession(services, reply) : undefined;
}

async function tickSchedules(services: Services, { extra }: { extra: boolean }): Promise<void> {
  if (!extra) {
    const delays = runs.extraTicks(services.config.GATEWAY_TICK_INTERVAL);
    const ticks = delays.map((delaySeconds) => messageTo(runs.tickDue, { extra: true }, { delaySeconds }));
    await services.queue.publishBatch(ticks);
  }
  await runs.tick(services, { overdueSeconds: 0 });
}
