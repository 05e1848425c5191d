import { sweepApprovals } from "#src/domain/agent-work/approvals/index.ts";
import { sweepUploads } from "#src/domain/agent-work/attachments/index.ts";
import { sweepSnapshots } from "#src/domain/workspaces/archives/index.ts";
import { sweepBases } from "#src/domain/workspaces/bases/index.ts";
import { fillPools, releaseExpired } from "#src/domain/metering/credits/index.ts";
import { sweepPayouts } from "#src/domain/billing/payouts/index.ts";
import { sweepReversals } from "#src/domain/billing/reversals/index.ts";
import { sweepSubscriptions } from "#src/domain/billing/subscriptions/index.ts";
import { sweepCheckouts } from "#src/domain/billing/checkouts/index.ts";
import { sweepKeptFiles } from "#src/domain/hosting/deployments/index.ts";
import { planBots, proveBots } from "#src/domain/messaging/channels/index.ts";
import { syncShards } from "#src/domain/messaging/gateway/index.ts";
import { sweepProjects } from "#src/domain/workspaces/lifecycle/index.ts";
import { forgetOldRows } from "#src/domain/operations/retention/index.ts";
import { sweepSessions } from "#src/domain/workspaces/shells/index.ts";
import { sweepTasks } from "#src/domain/agent-work/tasks/index.ts";
import { sweepMedia } from "#src/domain/messaging/media/index.ts";
import { deleteOldEvents, sweepInbox } from "#src/domain/messaging/inbox/index.ts";
import { forgetOldRuns, keepTicking, tickOverdue } from "#src/domain/schedules/runs/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Services } from "#src/services.ts";
import { sweepJobs } from "#src/work/sweep.ts";
import { JOBS as KINDS } from "./index.ts";

/** The job of each cron expression in wrangler.toml. */
const JOBS: Readonly<Record<string, (services: Services) => Promise<void>>> = {
  "* * * * *": async (services) => {
    await Promise.all([
      sweepTasks(services),
      releaseExpired(services),
      sweepApprovals(services),
      sweepJobs(
        services,
        KINDS.map(({ name }) => name),
      ),
      sweepProjects(services),
      sweepSessions(services),
      sweepInbox(services),
      syncShards(services),
      proveBots(services),
      // The queue calls for the ticks; what it leaves undone for a whole interval is done here.
      tickOverdue(services),
    ]);
  },
  "0 * * * *": async (services) => {
    // Hourly, so that daily credits are granted soon after midnight UTC.
    await Promise.all([
      fillPools(services),
      sweepMedia(services),
      keepTicking(services),
      sweepSubscriptions(services),
      sweepPayouts(services),
      sweepReversals(services),
      sweepCheckouts(services),
    ]);
  },
  "17 3 * * *": async (services) => {
    await Promise.all([
      forgetOldRows(services),
      sweepSnapshots(services),
      sweepBases(services),
      sweepUploads(services),
      sweepKeptFiles(services),
      deleteOldEvents(services),
      forgetOldRuns(services),
      planBots(services),
    ]);
  },
};

export async function runCron(services: Services, expression: string): Promise<void> {
  const job = JOBS[expression];
  if (!job) throw new AppError("internal", `No job for cron ${expression}`);
  await job(services);
}
