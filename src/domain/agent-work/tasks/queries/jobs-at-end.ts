import { sql } from "drizzle-orm";
import { storeJobsOfKinds } from "#src/work/queries.ts";
import { callbackDue } from "../callback-due.ts";
import { runDue } from "../run-due.ts";

/** Stores the jobs of the task `fenced` that has just ended: its callback's, and that of its schedule's run. */
export const jobsAtEnd = storeJobsOfKinds(
  [
    { job: callbackDue, where: sql`callback_status = 'pending'` },
    { job: runDue, where: sql`origin = 'schedule'` },
  ],
  sql`FROM fenced`,
  { key: sql`id`, payload: { taskId: sql`id` }, share: sql`user_id` },
);
