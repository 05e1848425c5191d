import { and, eq, exists, isNull, notExists, sql, type SQL } from "drizzle-orm";
import { deployments, deploymentSites } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { forgetBundles } from "./bundles.ts";
import type { Deployment } from "./requests.ts";
import { lockSite, storeNext } from "./turns.ts";

/*
 * Stages that end a deployment. With it, the jobs are stored of those that waited for it: so none is forgotten by an executor
 * that dies then.
 */

/** How a deployment ended. */
export interface Ending {
  status: "success" | "failed" | "cancelled";
  error: string | null;
  url?: string | null;
}

const rowOf = (db: Db, { id }: Deployment) =>
  db.select({ id: deployments.id }).from(deployments).where(eq(deployments.id, id));

/**
 * Ends a deployment, and with `success` makes it the one that people see at its site. One whose deletion was requested is
 * `deleting` from now on. No row when it has another status by now: it was requested to be deleted while it waited.
 */
export const over = (
  db: Db,
  isHeld: SQL<boolean>,
  deployment: Deployment,
  { status, error, url, kept }: Ending & { kept: number },
) =>
  [
    db
      .update(deployments)
      .set({
        // A deletion that failed has an end, too: it can be requested again.
        status: sql`CASE WHEN ${deployments.deletedAt} IS NULL OR ${deployments.status} = 'deleting' THEN ${status} ELSE 'deleting' END`,
        deletedAt: sql`CASE WHEN ${deployments.status} <> 'deleting' THEN ${deployments.deletedAt} END`,
        error,
        ...(url !== undefined && { url }),
        encryptedEnv: sql`CASE WHEN ${status}::text = 'success' THEN ${deployments.encryptedEnv} END`,
        updatedAt: sql`now()`,
        completedAt: sql`now()`,
      })
      .where(and(eq(deployments.id, deployment.id), eq(deployments.status, deployment.status), isHeld))
      .returning(),
    storeNext(db, isHeld, deployment),
    status === "success"
      ? db
          .update(deploymentSites)
          .set({ liveDeploymentId: deployment.id, ...(typeof url === "string" && { url }) })
          .where(and(eq(deploymentSites.id, deployment.siteId), exists(rowOf(db, deployment)), isHeld))
          .returning()
      : lockSite(db, deployment.siteId),
    forgetBundles(db, isHeld, deployment.siteId, kept),
  ] as const;

const NOWHERE = { providerSiteId: null, liveDeploymentId: null, url: null, isNameUsed: false } as const;

/**
 * Forgets a deployment that is being deleted; with `isSiteGone` also what was known of its site at the provider. The site's own
 * row goes with its last deployment.
 */
export const forgotten = (
  db: Db,
  isHeld: SQL<boolean>,
  deployment: Deployment,
  { isSiteGone }: { isSiteGone: boolean },
) => {
  const isOurs = eq(deploymentSites.id, deployment.siteId);
  return [
    db.delete(deployments).where(and(eq(deployments.id, deployment.id), isHeld)),
    storeNext(db, isHeld, deployment),
    // Also a lock: a request that is stored at this moment keeps the site.
    isSiteGone
      ? db.update(deploymentSites).set(NOWHERE).where(and(isOurs, isHeld)).returning()
      : lockSite(db, deployment.siteId),
    db
      .delete(deploymentSites)
      .where(
        and(
          isOurs,
          isHeld,
          isNull(deploymentSites.providerSiteId),
          notExists(
            db
              .select({ id: deployments.id })
              .from(deployments)
              .where(eq(deployments.siteId, deployment.siteId)),
          ),
        ),
      ),
  ] as const;
};
