import { and, eq, sql, type SQL } from "drizzle-orm";
import { repositories } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { storeJobs } from "#src/work/queries.ts";
import { cloneDue } from "./clone-due.ts";
import type { RepositoryAddress } from "./repository-url.ts";

export type Repository = typeof repositories.$inferSelect;

/** The remote repository of a project; no row for a project without one. */
export function readRepository(db: Db, projectId: string) {
  return db.select().from(repositories).where(eq(repositories.projectId, projectId));
}

/** As `readRepository`; `undefined` for a project without one. */
export async function repositoryOf(db: Db, projectId: string): Promise<Repository | undefined> {
  const [row] = await readRepository(db, projectId);
  return row;
}

interface NewRepository {
  projectId: string;
  userId: string;
  address: RepositoryAddress;
}

const named = ({ userId, address }: NewRepository) => ({
  userId,
  repoUrl: address.url,
  repoOwner: address.owner,
  repoName: address.name,
});

/**
 * Requests a clone of a branch, or (null) the default one, and stores its job. No row while a clone is in progress: of two
 * concurrent requests, one succeeds.
 */
export async function beginClone(
  db: Db,
  asked: NewRepository & { branch: string | null },
): Promise<{ repository: Repository; occasion: string } | undefined> {
  const { projectId } = asked;
  const values = {
    ...named(asked),
    defaultBranch: asked.branch ?? "",
    syncStatus: "cloning" as const,
    progress: null,
    error: null,
  };
  const [[repository], { rows }] = await db.batch([
    db
      .insert(repositories)
      .values({ projectId, id: newId(), ...values })
      .onConflictDoUpdate({
        target: repositories.projectId,
        set: values,
        setWhere: sql`${repositories.syncStatus} <> 'cloning'`,
      })
      .returning(),
    db.execute<{ generation: string }>(
      storeJobs(
        cloneDue,
        // A clone that is in progress has its job.
        sql`FROM repositories WHERE project_id = ${projectId}::uuid AND sync_status = 'cloning' AND NOT EXISTS (
          SELECT 1 FROM jobs WHERE kind = ${cloneDue.name}::text AND key = ${projectId}::text AND failed_at IS NULL
        )`,
        { key: sql`project_id`, payload: { projectId: sql`project_id` } },
      ),
    ),
  ]);
  return repository && { repository, occasion: rows[0]?.generation ?? "" };
}

/** Write of a renewal: how far the clone is. */
export function cloneProgress(projectId: string, progress: string): SQL {
  return sql`UPDATE repositories SET progress = ${progress}::text FROM job
    WHERE project_id = ${projectId}::uuid`;
}

/** Write of an outcome: the files are in place. */
export function cloneDone(projectId: string, cloned: { branch: string; commitSha: string | null }): SQL {
  return sql`UPDATE repositories SET sync_status = 'cloned', default_branch = ${cloned.branch}::text,
    last_commit_sha = ${cloned.commitSha}::text, last_sync_at = now(), progress = NULL, error = NULL
    FROM job WHERE project_id = ${projectId}::uuid`;
}

/** Write of an outcome: the clone failed, and is tried again unless it is over. */
export function cloneFailed(projectId: string, error: string, isOver: boolean): SQL {
  return sql`UPDATE repositories SET progress = NULL, error = ${error}::text,
    sync_status = CASE WHEN ${isOver}::boolean THEN 'failed' ELSE 'cloning' END
    FROM job WHERE project_id = ${projectId}::uuid`;
}

/** Write of giving up: all executors of the clone have died. An earlier reason is kept. */
export function cloneInterrupted(projectId: string): SQL {
  return sql`UPDATE repositories SET progress = NULL, sync_status = 'failed',
    error = coalesce(error, 'The clone was interrupted too many times: start it again')
    FROM job WHERE project_id = ${projectId}::uuid`;
}

/** Records the remote of a project whose files were cloned at its creation. */
export async function recordCloned(
  db: Db,
  cloned: NewRepository & { branch: string; commitSha: string | null },
): Promise<void> {
  await putRepository(db, cloned, {
    defaultBranch: cloned.branch,
    lastCommitSha: cloned.commitSha,
    lastSyncAt: sql`now()`,
  });
}

/** Records the remote that was given to a local repository. */
export async function recordRemote(db: Db, remote: NewRepository & { branch: string }): Promise<void> {
  await putRepository(db, remote, { defaultBranch: remote.branch, lastCommitSha: null, lastSyncAt: null });
}

/** Leaves a clone in progress unchanged, because it writes these values itself at its end. */
function putRepository(
  db: Db,
  repository: NewRepository,
  state: { defaultBranch: string; lastCommitSha: string | null; lastSyncAt: SQL | null },
) {
  const values = {
    ...named(repository),
    ...state,
    syncStatus: "cloned" as const,
    progress: null,
    error: null,
  };
  return db
    .insert(repositories)
    .values({ projectId: repository.projectId, id: newId(), ...values })
    .onConflictDoUpdate({
      target: repositories.projectId,
      set: values,
      setWhere: sql`${repositories.syncStatus} <> 'cloning'`,
    });
}

/** Records the commit at which the project and its remote were last equal. */
export function noteSync(db: Db, projectId: string, commitSha: string) {
  return db
    .update(repositories)
    .set({ lastSyncAt: sql`now()`, lastCommitSha: commitSha })
    .where(eq(repositories.projectId, projectId));
}

/** Deletes the remote, unless a clone is in progress; returns whether it was deleted. */
export async function deleteRepository(db: Db, projectId: string): Promise<boolean> {
  const rows = await db
    .delete(repositories)
    .where(and(eq(repositories.projectId, projectId), sql`${repositories.syncStatus} <> 'cloning'`))
    .returning({ id: repositories.id });
  return rows.length > 0;
}
