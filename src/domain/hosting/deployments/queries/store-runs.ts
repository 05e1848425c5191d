import { sql, type SQL } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";
import { storeJobs } from "#src/work/queries.ts";
import type { StoredJob } from "#src/work/job.ts";
import { deploymentDue } from "../deployment-due.ts";

/** Stores the jobs of the deployments whose ids a query selects, and returns these jobs. */
export const storeRuns = (db: Db, ids: SQL) =>
  db.execute<StoredJob>(
    storeJobs(deploymentDue, sql`FROM ${ids} AS due (id)`, {
      key: sql`due.id::text`,
      payload: { deploymentId: sql`due.id` },
    }),
  );
