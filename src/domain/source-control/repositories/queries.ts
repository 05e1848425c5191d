import { and, eq, isNull, lt, or, sql, type SQL } from "drizzle-orm";
import { repositories } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { RepositoryAddress } from "./repository-url.ts";

export type Repository = typeof repositories.$inferSelect;

/** Most executors of one clone. */
const MAX_ATTEMPTS = 3;
/** Duration of the lease after each renewal. */
const LEASE_SECONDS = 10;

const leased = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;
const unleased = or(isNull(repositories.leaseUntil), lt(repositories.leaseUntil, sql`now()`));

/** The remote repository of a project; `undefined` for a project without one. */
export async function repositoryOf(db: Db, projectId: string): Promise<Repository | undefined> {
  const [row] = await db.select().from(repositories).where(eq(repositories.projectId, projectId));
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
 * Requests a clone of a branch, or (null) the default one, and supersedes executors of earlier clones. No row while a
 * clone is in progress: of two concurrent requests, one succeeds.
 */
export async function beginClone(
  db: Db,
  asked: NewRepository & { branch: string | null },
): Promise<Repository | undefined> {
  const values = {
    ...named(asked),
    defaultBranch: asked.branch ?? "",
    syncStatus: "cloning" as const,
    progress: null,
    error: null,
    attempts: 0,
    leaseUntil: null,
  };
  const [row] = await db
    .insert(repositories)
    .values({ projectId: asked.projectId, id: newId(), generation: 1, ...values })
    .onConflictDoUpdate({
      target: repositories.projectId,
      set: { ...values, generation: sql`${repositories.generation} + 1` },
      setWhere: sql`${repositories.syncStatus} <> 'cloning'`,
    })
    .returning();
  return row;
}

/** Claims a requested clone, if no executor holds its lease and attempts are left. */
export async function claimClone(db: Db, projectId: string): Promise<Repository | undefined> {
  const [row] = await db
    .update(repositories)
    .set({
      generation: sql`${repositories.generation} + 1`,
      attempts: sql`${repositories.attempts} + 1`,
      leaseUntil: leased,
    })
    .where(
      and(
        eq(repositories.projectId, projectId),
        eq(repositories.syncStatus, "cloning"),
        unleased,
        lt(repositories.attempts, MAX_ATTEMPTS),
      ),
    )
    .returning();
  return row;
}

const mine = (clone: Pick<Repository, "projectId" | "generation">) =>
  and(
    eq(repositories.projectId, clone.projectId),
    eq(repositories.generation, clone.generation),
    eq(repositories.syncStatus, "cloning"),
  );

/** Renews the lease and records the progress; false when another executor has taken over, or the project is deleted. */
export async function renewClone(
  db: Db,
  clone: Pick<Repository, "projectId" | "generation">,
  progress: string | null,
): Promise<boolean> {
  const rows = await db
    .update(repositories)
    .set({ leaseUntil: leased, progress })
    .where(mine(clone))
    .returning({ id: repositories.id });
  return rows.length > 0;
}

/** Records that the files are in place. False for a superseded executor. */
export async function finishClone(
  db: Db,
  clone: Pick<Repository, "projectId" | "generation">,
  cloned: { branch: string; commitSha: string | null },
): Promise<boolean> {
  const rows = await db
    .update(repositories)
    .set({
      syncStatus: "cloned",
      defaultBranch: cloned.branch,
      lastCommitSha: cloned.commitSha,
      lastSyncAt: sql`now()`,
      leaseUntil: null,
      progress: null,
      error: null,
    })
    .where(mine(clone))
    .returning({ id: repositories.id });
  return rows.length > 0;
}

/**
 * Releases the lease of a failed executor. The next one retries, unless the failure is `final` or no attempt is left;
 * then the clone is failed, with the reason. Returns whether there will be another attempt.
 */
export async function retryClone(
  db: Db,
  clone: Pick<Repository, "projectId" | "generation">,
  failure: { error: string; final: boolean },
): Promise<boolean> {
  const isOver = sql`(${failure.final}::boolean OR ${repositories.attempts} >= ${MAX_ATTEMPTS}::int)`;
  const [row] = await db
    .update(repositories)
    .set({
      syncStatus: sql`CASE WHEN ${isOver} THEN 'failed' ELSE 'cloning' END`,
      error: failure.error,
      leaseUntil: null,
      progress: null,
    })
    .where(mine(clone))
    .returning({ syncStatus: repositories.syncStatus });
  return row?.syncStatus === "cloning";
}

/** Marks clones as failed whose executors have all died. */
export function giveUpClone(db: Db, projectId: string) {
  return db
    .update(repositories)
    .set({
      syncStatus: "failed",
      error: sql`coalesce(${repositories.error}, 'The clone was interrupted too many times: start it again')`,
      leaseUntil: null,
      progress: null,
    })
    .where(
      and(
        eq(repositories.projectId, projectId),
        eq(repositories.syncStatus, "cloning"),
        unleased,
        sql`${repositories.attempts} >= ${MAX_ATTEMPTS}::int`,
      ),
    );
}

/** Requested clones without an executor. */
export function waitingClones(db: Db, limit: number) {
  return (
    db
      .select({ projectId: repositories.projectId, generation: repositories.generation })
      .from(repositories)
      // As a literal, as in the index.
      .where(and(sql`${repositories.syncStatus} = 'cloning'`, unleased))
      .limit(limit)
  );
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
