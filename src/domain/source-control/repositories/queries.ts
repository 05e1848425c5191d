import { and, eq, isNull, lt, or, sql, type SQL } from "drizzle-orm";
import { repositories } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { RepositoryAddress } from "./repository-url.ts";

export type Repository = typeof repositories.$inferSelect;

/** Executors that a clone may take. */
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
 * Ask for a clone, of a branch or (null) the default one; whoever works on an earlier one is superseded. No row where a
 * clone is under way: of two at once, one is taken.
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

/** Become the executor of a clone that is asked for, if nobody is and there are attempts left. */
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

/** Stay the executor, and say how far it is; false when another one has taken over, or the project is gone. */
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

/** The files are there. False for an executor that was superseded. */
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
 * An executor that failed lets go: the next one tries again, or, where `final` or no attempt is left, the clone has failed
 * and says why. Tells whether another attempt is to be made.
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

/** Clones whose executors died one after the other have failed. */
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

/** Clones that are asked for and that nobody works on. */
export function waitingClones(db: Db, limit: number) {
  return (
    db
      .select({ projectId: repositories.projectId, generation: repositories.generation })
      .from(repositories)
      // Written out, as the index has it.
      .where(and(sql`${repositories.syncStatus} = 'cloning'`, unleased))
      .limit(limit)
  );
}

/** Note what a project was cloned from, where the clone has been made already. */
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

/** Note the remote that a repository of one's own was given. */
export async function recordRemote(db: Db, remote: NewRepository & { branch: string }): Promise<void> {
  await putRepository(db, remote, { defaultBranch: remote.branch, lastCommitSha: null, lastSyncAt: null });
}

/** A clone that is under way stays as it is: it writes this itself when it is done. */
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

/** Note that the project and its remote were brought together at a commit. */
export function noteSync(db: Db, projectId: string, commitSha: string) {
  return db
    .update(repositories)
    .set({ lastSyncAt: sql`now()`, lastCommitSha: commitSha })
    .where(eq(repositories.projectId, projectId));
}

/** Forget the remote, not while a clone of it is under way; tells what was forgotten. */
export async function deleteRepository(db: Db, projectId: string): Promise<boolean> {
  const rows = await db
    .delete(repositories)
    .where(and(eq(repositories.projectId, projectId), sql`${repositories.syncStatus} <> 'cloning'`))
    .returning({ id: repositories.id });
  return rows.length > 0;
}
