import { sweepTasks } from "#src/domain/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Services } from "#src/services.ts";

/** What each cron expression of wrangler.toml stands for. */
const JOBS: Readonly<Record<string, (services: Services) => Promise<void>>> = {
  "* * * * *": sweepTasks,
};

export async function runCron(services: Services, expression: string): Promise<void> {
  const job = JOBS[expression];
  if (!job) throw new AppError("internal", `No job for cron ${expression}`);
  await job(services);
}
