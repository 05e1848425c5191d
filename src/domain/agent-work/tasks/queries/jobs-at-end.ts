import { sql } from "drizzle-orm";
import { storeJobs } from "#src/work/queries.ts";
import { callbackDue } from "../callback-due.ts";
import { runDue } from "../run-due.ts";

const ofTask = { key: sql`id`, payload: { taskId: sql`id` }, share: sql`user_id` };

/** The jobs of the task `fenced` that has just ended, as parts of a WITH list: its callback's, and its schedule's run. */
export const jobsAtEnd = sql`
  callback AS (${storeJobs(callbackDue, sql`FROM fenced WHERE callback_status = 'pending'`, ofTask)}),
  run AS (${storeJobs(runDue, sql`FROM fenced WHERE origin = 'schedule'`, ofTask)})`;
