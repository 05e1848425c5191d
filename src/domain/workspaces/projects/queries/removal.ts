import { sql, type SQL } from "drizzle-orm";
import { storeJobs } from "#src/work/queries.ts";
import { workspaceLeft } from "../workspace-left.ts";

/** Statement that stores the removal of the files of projects that its transaction deletes. `doomed` selects ids and slugs. */
export const storeRemovals = (doomed: SQL): SQL =>
  storeJobs(workspaceLeft, sql`FROM (${doomed}) AS doomed (id, slug)`, {
    key: sql`doomed.id::text`,
    payload: { projectId: sql`doomed.id`, slug: sql`doomed.slug` },
  });

const ENDED = sql`completed_at = now(), started_at = coalesce(started_at, now())`;

/* Writes of an outcome: how the background task of a project's removal ends. */

export const removalDone = (projectId: string, slug: string | null): SQL => sql`
  UPDATE background_tasks SET status = 'completed', ${ENDED},
    progress = '{"current": 100, "total": 100, "message": "Done"}',
    result = ${slug === null ? null : JSON.stringify({ slug })}::jsonb
  FROM job WHERE ${isRemovalOf(projectId)}`;

export const removalFailed = (projectId: string, error: string): SQL => sql`
  UPDATE background_tasks SET status = 'failed', ${ENDED}, error = ${error}::text
  FROM job WHERE ${isRemovalOf(projectId)}`;

const isRemovalOf = (projectId: string) =>
  sql`project_id = ${projectId}::uuid AND type = 'project_deletion' AND status IN ('queued', 'running')`;
