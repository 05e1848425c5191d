import { and, asc, eq, exists, gte, inArray, isNotNull, isNull, lt, notExists, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { uniqueViolation } from "#src/db/unique-violation.ts";
import { deployments, deploymentSites, projects, users, type StoredBundle } from "#src/db/schema/index.ts";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";
import { rolesGranting, type Role } from "#src/domain/organisations/access/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { UNFINISHED, type Deployment, type Site } from "./requests.ts";

/** A deployment whose lease an executor holds, and its site. */
export interface Claimed {
  deployment: Deployment;
  site: Site;
}

/** SQL condition: whether the person of the row `deployments` could request it now. */
const mayDeploy = sql<boolean>`EXISTS (
  SELECT 1 FROM projects JOIN users AS person ON person.id = deployments.user_id
  WHERE projects.id = deployments.project_id AND person.is_active
    AND ${roleInProject({ userId: sql`deployments.user_id`, isSuperuser: sql`person.is_superuser` })}
      IN (${sql.join(rolesGranting("deployment.create"), sql`, `)})
)`;

/** Most executors of one step, counted from the last one that got further. */
export const MAX_ATTEMPTS = 6;
/** Duration of the lease after each renewal. */
const LEASE_SECONDS = 10;

const leased = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;
const unleased = or(isNull(deployments.leaseUntil), lt(deployments.leaseUntil, sql`now()`));
const due = or(isNull(deployments.dueAt), lt(deployments.dueAt, sql`now()`));

const other = alias(deployments, "other");
const earlier = sql`${other.version} < ${deployments.version}`;
const WORKING = ["building", "pushing", "deploying"] as const;

/**
 * Whether a deployment's turn has come: the deployments of a site run one at a time and in the order of their versions, and
 * a site is not taken down while one runs. One that runs keeps its turn; one that is only to be ended needs none.
 */
const hasTurn = (db: Db) => {
  const anotherOfSite = (status: readonly Deployment["status"][], and_ = sql`TRUE`) =>
    notExists(
      db
        .select({ one: sql`1` })
        .from(other)
        .where(
          and(
            eq(other.siteId, deployments.siteId),
            sql`${other.id} <> ${deployments.id}`,
            inArray(other.status, [...status]),
            and_,
          ),
        ),
    );
  const mayBuild = notExists(
    db
      .select({ one: sql`1` })
      .from(other)
      .where(and(eq(other.projectId, deployments.projectId), sql`${other.status} = 'building'`)),
  );
  return or(
    inArray(deployments.status, [...WORKING]),
    and(eq(deployments.status, "pending"), isNotNull(deployments.cancelledAt)),
    and(
      eq(deployments.status, "pending"),
      anotherOfSite([...WORKING, "deleting"]),
      anotherOfSite(["pending"], earlier),
      or(isNotNull(deployments.redeployOf), mayBuild),
    ),
    and(eq(deployments.status, "deleting"), anotherOfSite(WORKING), anotherOfSite(["deleting"], earlier)),
  );
};

/**
 * Locks a deployment's site: the statements that follow in the batch see what the earlier holders of the lock have stored. Goes
 * before the locks of deployments.
 */
const lockSiteOf = (db: Db, id: string) =>
  db
    .select({ id: deploymentSites.id })
    .from(deploymentSites)
    .where(
      eq(
        deploymentSites.id,
        db.select({ siteId: deployments.siteId }).from(deployments).where(eq(deployments.id, id)),
      ),
    )
    .for("no key update");

/**
 * Claims a deployment that is not over, if its turn has come and no executor holds its lease. One that waits begins: at
 * `deploying` where its files are there, at `building` otherwise. A second build of a project waits.
 */
export async function claimDeployment(
  db: Db,
  id: string,
): Promise<(Claimed & { mayDeploy: boolean }) | undefined> {
  try {
    const [, [deployment]] = await db.batch([
      // Of two claims for one site, the second sees the first.
      lockSiteOf(db, id),
      db
        .update(deployments)
        .set({
          generation: sql`${deployments.generation} + 1`,
          attempts: sql`${deployments.attempts} + 1`,
          leaseUntil: leased,
          dueAt: null,
          status: sql`CASE WHEN ${deployments.status} <> 'pending' THEN ${deployments.status}
            WHEN ${deployments.cancelledAt} IS NOT NULL OR ${deployments.redeployOf} IS NOT NULL THEN 'deploying'
            ELSE 'building' END`,
          updatedAt: sql`now()`,
        })
        .where(and(eq(deployments.id, id), unleased, due, hasTurn(db)))
        .returning(),
    ]);
    if (!deployment) return undefined;
    const [found] = await db
      .select({ site: deploymentSites, mayDeploy })
      .from(deployments)
      .innerJoin(deploymentSites, eq(deploymentSites.id, deployments.siteId))
      .where(eq(deployments.id, deployment.id));
    return found && { deployment, ...found };
  } catch (error) {
    if (uniqueViolation(error) === "deployments_building_unique") return undefined;
    throw error;
  }
}

/** Whether another executor holds the lease of a deployment that is not over. It may be dead. */
export async function isLeased(db: Db, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: deployments.id })
    .from(deployments)
    .where(
      and(
        eq(deployments.id, id),
        inArray(deployments.status, [...UNFINISHED]),
        gte(deployments.leaseUntil, sql`now()`),
      ),
    );
  return rows.length > 0;
}

type Mine = Pick<Deployment, "id" | "generation">;

const mine = ({ id, generation }: Mine) =>
  and(
    eq(deployments.id, id),
    eq(deployments.generation, generation),
    inArray(deployments.status, [...UNFINISHED]),
  );

/**
 * Renews the lease. `undefined` when another executor has taken over; otherwise whether its end was requested, or the person
 * may no longer deploy.
 */
export async function renewDeployment(db: Db, held: Mine): Promise<{ isCancelled: boolean } | undefined> {
  const [row] = await db
    .update(deployments)
    .set({ leaseUntil: leased })
    .where(mine(held))
    .returning({ cancelledAt: deployments.cancelledAt, status: deployments.status, mayDeploy });
  return row && { isCancelled: (row.cancelledAt !== null || !row.mayDeploy) && row.status !== "deleting" };
}

export type Progress = Partial<
  Pick<
    Deployment,
    | "status"
    | "providerStatus"
    | "providerDeploymentId"
    | "providerNotes"
    | "commitSha"
    | "url"
    | "publishedAt"
  > & { bundle: StoredBundle }
>;

/**
 * Stores what an executor has reached. Notes by themselves are no progress: each attempt may write them. `undefined` for one
 * that was superseded.
 */
export async function recordProgress(
  db: Db,
  held: Mine,
  progress: Progress,
): Promise<Deployment | undefined> {
  const [row] = await db
    .update(deployments)
    .set({
      ...progress,
      ...(Object.keys(progress).some((name) => name !== "providerNotes") && { attempts: 0 }),
      leaseUntil: leased,
      updatedAt: sql`now()`,
    })
    .where(mine(held))
    .returning();
  return row;
}

/**
 * Ends the lease; the next executor is due after so many seconds, or at once where the deployment's end was requested since it
 * was claimed. Without a failure, earlier ones are forgotten. Returns the seconds; undefined for a superseded executor.
 */
export async function releaseDeployment(
  db: Db,
  held: Mine & Pick<Deployment, "cancelledAt">,
  { inSeconds, failure }: { inSeconds: number; failure?: string },
): Promise<number | undefined> {
  const isCancelled = sql`${deployments.cancelledAt} IS NOT NULL AND ${held.cancelledAt === null}::boolean`;
  const [row] = await db
    .update(deployments)
    .set({
      leaseUntil: null,
      dueAt: sql`CASE WHEN NOT (${isCancelled}) THEN now() + make_interval(secs => ${inSeconds}) END`,
      error: failure ?? null,
      ...(failure === undefined && { attempts: 0 }),
    })
    .where(mine(held))
    .returning({ dueAt: deployments.dueAt });
  return row && (row.dueAt === null ? 0 : inSeconds);
}

/** How a deployment ended. */
export interface Ending {
  status: "success" | "failed" | "cancelled";
  error: string | null;
  url?: string | null;
}

/**
 * Ends a deployment, and with `success` makes it the one that people see at its site. One whose deletion was requested is
 * `deleting` from now on. `undefined` for a superseded executor.
 */
export async function endDeployment(
  db: Db,
  held: Mine,
  { status, error, url }: Ending,
): Promise<Deployment | undefined> {
  const ended = db
    .update(deployments)
    .set({
      // A deletion that failed has an end, too: it can be requested again.
      status: sql`CASE WHEN ${deployments.deletedAt} IS NULL OR ${deployments.status} = 'deleting' THEN ${status} ELSE 'deleting' END`,
      deletedAt: sql`CASE WHEN ${deployments.status} <> 'deleting' THEN ${deployments.deletedAt} END`,
      error,
      ...(url !== undefined && { url }),
      leaseUntil: null,
      dueAt: null,
      attempts: 0,
      encryptedEnv: sql`CASE WHEN ${status}::text = 'success' THEN ${deployments.encryptedEnv} END`,
      updatedAt: sql`now()`,
      completedAt: sql`now()`,
    })
    .where(mine(held))
    .returning();
  if (status !== "success") return (await ended)[0];
  const [, [row]] = await db.batch([
    // First, since the second ends the generation's hold.
    db
      .update(deploymentSites)
      .set({ liveDeploymentId: held.id, ...(typeof url === "string" && { url }) })
      .where(
        exists(
          db
            .select({ id: deployments.id })
            .from(deployments)
            .where(and(mine(held), eq(deployments.siteId, deploymentSites.id))),
        ),
      ),
    ended,
  ]);
  return row;
}

/** Forgets a deployment that is being deleted, and its site with the last one. False for a superseded executor. */
export async function forgetDeployment(db: Db, held: Mine & { siteId: string }): Promise<boolean> {
  const [, gone] = await db.batch([
    // A request that is stored at this moment keeps the site.
    lockSiteOf(db, held.id),
    db.delete(deployments).where(mine(held)).returning({ id: deployments.id }),
    db
      .delete(deploymentSites)
      .where(
        and(
          eq(deploymentSites.id, held.siteId),
          isNull(deploymentSites.providerSiteId),
          notExists(
            db.select({ id: deployments.id }).from(deployments).where(eq(deployments.siteId, held.siteId)),
          ),
        ),
      ),
  ]);
  return gone.length > 0;
}

/** Stores what is known of a site, while the executor holds its deployment's lease. False for a superseded executor. */
export async function recordSite(
  db: Db,
  { deployment }: Claimed,
  site: Partial<Pick<Site, "name" | "isNameUsed" | "providerSiteId" | "url" | "liveDeploymentId">>,
): Promise<boolean> {
  const rows = await db
    .update(deploymentSites)
    .set(site)
    .where(
      and(
        eq(deploymentSites.id, deployment.siteId),
        exists(db.select({ id: deployments.id }).from(deployments).where(mine(deployment))),
      ),
    )
    .returning({ id: deploymentSites.id });
  return rows.length > 0;
}

/** A person as the executor acts for them: their role in the project, and whether they are an administrator. */
export async function standingInProject(
  db: Db,
  { userId, projectId }: { userId: string; projectId: string },
): Promise<{ role: Role | null; slug: string; isSuperuser: boolean } | undefined> {
  const [row] = await db
    .select({
      role: roleInProject({ userId, isSuperuser: sql`${users.isSuperuser}` }),
      slug: projects.slug,
      isSuperuser: users.isSuperuser,
    })
    .from(projects)
    .innerJoin(users, eq(users.id, userId))
    .where(eq(projects.id, projectId));
  return row;
}

/** Deployments that wait for an executor, the earliest first: their message was lost, or their executor died. */
export function waitingDeployments(db: Db, limit: number) {
  return db
    .select({ id: deployments.id, generation: deployments.generation })
    .from(deployments)
    .where(
      and(
        // As literals, as in the index.
        sql`${deployments.status} NOT IN ('success', 'failed', 'cancelled')`,
        unleased,
        due,
        hasTurn(db),
      ),
    )
    .orderBy(asc(deployments.id))
    .limit(limit);
}

/** Deployments that may go on once this one is over: the next ones of its site and of its project. */
export function nextDeployments(db: Db, { id, siteId, projectId }: Deployment, limit: number) {
  return db
    .select({ id: deployments.id, generation: deployments.generation })
    .from(deployments)
    .where(
      and(
        sql`${deployments.status} NOT IN ('success', 'failed', 'cancelled')`,
        sql`${deployments.id} <> ${id}::uuid`,
        or(
          eq(deployments.siteId, siteId),
          projectId === null
            ? undefined
            : and(eq(deployments.projectId, projectId), eq(deployments.status, "pending")),
        ),
        unleased,
        hasTurn(db),
      ),
    )
    .orderBy(asc(deployments.id))
    .limit(limit);
}
