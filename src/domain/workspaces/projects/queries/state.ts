import { sql, type SQL } from "drizzle-orm";
import { storeJobs } from "#src/work/queries.ts";
import { stateWanted } from "../state-wanted.ts";

/** Statement that stores the job of what is wanted of projects. `from` gives their ids; returns keys and generations. */
export const storeTransitions = (from: SQL): SQL =>
  storeJobs(stateWanted, from, { key: sql`id`, payload: { projectId: sql`id` } });
