import { and, asc, eq, inArray, isNull, notExists, or, sql, type SQL } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { deployments, deploymentSites } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Deployment } from "./requests.ts";
import { storeRuns } from "./store-runs.ts";

const other = alias(deployments, "other");
const earlier = sql`${other.version} < ${deployments.version}`;
const WORKING = ["building", "pushing", "deploying"] as const;

/**
 * Whether the turn of a deployment that waits has come: the deployments of a site run one at a time and in the order of their
 * versions, and a site is not taken down while one runs. A second build of a project waits.
 */
export const hasTurn = (db: Db) => {
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
    and(
      eq(deployments.status, "pending"),
      anotherOfSite([...WORKING, "deleting"]),
      anotherOfSite(["pending"], earlier),
      or(sql`${deployments.redeployOf} IS NOT NULL`, mayBuild),
    ),
    and(eq(deployments.status, "deleting"), anotherOfSite(WORKING), anotherOfSite(["deleting"], earlier)),
  );
};

/** Locks a site, and returns it: the statements that follow in the batch see what earlier holders of the lock have stored. */
export const lockSite = (db: Db, id: string) =>
  db.select().from(deploymentSites).where(eq(deploymentSites.id, id)).for("no key update");

/** Most deployments that begin when another one makes room for them; the others come when their pause is over. */
const NEXT = 10;

/**
 * Stores the jobs of deployments that wait and whose turn has come, now that this one has made room: of its site, and builds of
 * its project. Goes before the lock of the site: the executor of a job locks it after the job.
 */
export const storeNext = (
  db: Db,
  isHeld: SQL<boolean>,
  { id, siteId, projectId }: Pick<Deployment, "id" | "siteId" | "projectId">,
) =>
  storeRuns(
    db,
    sql`${db
      .select({ id: deployments.id })
      .from(deployments)
      .where(
        and(
          isHeld,
          // As literals, as in the index.
          sql`${deployments.status} NOT IN ('success', 'failed', 'cancelled')`,
          sql`${deployments.id} <> ${id}::uuid`,
          // One that is only to be ended is due already.
          or(eq(deployments.status, "deleting"), isNull(deployments.cancelledAt)),
          or(
            eq(deployments.siteId, siteId),
            projectId === null
              ? undefined
              : and(eq(deployments.projectId, projectId), eq(deployments.status, "pending")),
          ),
          hasTurn(db),
        ),
      )
      .orderBy(asc(deployments.id))
      .limit(NEXT)}`,
  );
