import { sweepApprovals } from "#src/domain/approvals/index.ts";
import { sweepUploads } from "#src/domain/attachments/index.ts";
import { sweepSnapshots } from "#src/domain/archives/index.ts";
import { sweepBases } from "#src/domain/bases/index.ts";
import { sweepCallbacks } from "#src/domain/callbacks/index.ts";
import { fillPools, releaseExpired } from "#src/domain/credits/index.ts";
import { sweepClones } from "#src/domain/git/index.ts";
import { sweepProjects } from "#src/domain/lifecycle/index.ts";
import { forgetOldRows } from "#src/domain/retention/index.ts";
import { sweepSessions } from "#src/domain/shells/index.ts";
import { sweepTasks } from "#src/domain/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Services } from "#src/services.ts";

/** What each cron expression of wrangler.toml stands for. */
const JOBS: Readonly<Record<string, (services: Services) => Promise<void>>> = {
  "* * * * *": async (services) => {
    await Promise.all([
      sweepTasks(services),
      releaseExpired(services),
      sweepApprovals(services),
      sweepCallbacks(services),
      sweepClones(services),
      sweepProjects(services),
      sweepSessions(services),
    ]);
  },
  // The credits of a day begin with it.
  "0 * * * *": (services) => fillPools(services),
  "17 3 * * *": async (services) => {
    await Promise.all([
      forgetOldRows(services),
      sweepSnapshots(services),
      sweepBases(services),
      sweepUploads(services),
    ]);
  },
};

export async function runCron(services: Services, expression: string): Promise<void> {
  const job = JOBS[expression];
  if (!job) throw new AppError("internal", `No job for cron ${expression}`);
  await job(services);
}
