import { sql, type SQL } from "drizzle-orm";
import { storeJobsOfKinds } from "#src/work/queries.ts";
import { callbackDue } from "../callback-due.ts";
import type { FollowUps } from "../follow-ups.ts";

/** Stores the jobs of the task `fenced` that has just ended: its callback's, and those registered for its source. */
export function jobsAtEnd(followUps: FollowUps): SQL {
  const registered = Object.entries(followUps).flatMap(([kind, { job, unpublished }]) => {
    const isOfKind = sql`fenced.kind = ${kind}`;
    return [
      ...(job ? [{ job, where: isOfKind }] : []),
      ...(unpublished ? [{ job: unpublished.job, where: sql`${isOfKind} AND ${unpublished.where}` }] : []),
    ];
  });
  return storeJobsOfKinds(
    [{ job: callbackDue, where: sql`callback_status = 'pending'` }, ...registered],
    sql`FROM fenced`,
    { key: sql`id`, payload: { taskId: sql`id` }, share: sql`user_id` },
  );
}
