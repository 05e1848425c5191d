import { and, eq, isNull, sql, type SQL } from "drizzle-orm";
import { deployments, deploymentSites, users, type StoredBundle } from "#src/db/schema/index.ts";
import { rolesGranting } from "#src/domain/access/permissions/index.ts";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { UNFINISHED, type Deployment, type Site } from "./requests.ts";
import { hasTurn, lockSite } from "./turns.ts";

/** SQL condition: whether the person of the row `deployments` could request it now. */
const mayDeploy = sql<boolean>`EXISTS (
  SELECT 1 FROM projects JOIN users AS person ON person.id = deployments.user_id
  WHERE projects.id = deployments.project_id AND person.is_active
    AND ${roleInProject({ userId: sql`deployments.user_id`, isSuperuser: sql`person.is_superuser` })}
      IN (${sql.join(rolesGranting("deployment.create"), sql`, `)})
)`;

/** What an executor knows of its deployment as it begins, and learns again with each renewal of its lease. */
export interface Known {
  deployment: Deployment;
  site: Site;
  /** Whether the person who requested it may still deploy the project. */
  mayDeploy: boolean;
  /** Whether that person is an administrator of the installation. */
  isSuperuser: boolean;
  /** Of one that waits: whether its turn has come, if nothing else has begun since. */
  hasTurn: boolean;
}

/** A deployment with its site; no row for one that was deleted. */
export function readRun(db: Db, id: string) {
  return db
    .select({
      deployment: deployments,
      site: deploymentSites,
      mayDeploy,
      isSuperuser: users.isSuperuser,
      hasTurn: sql<boolean>`coalesce(${hasTurn(db)}, false)`,
    })
    .from(deployments)
    .innerJoin(deploymentSites, eq(deploymentSites.id, deployments.siteId))
    .innerJoin(users, eq(users.id, deployments.userId))
    .where(eq(deployments.id, id));
}

/*
 * Statements of stages: none has an effect unless `isHeld`.
 */

/**
 * Begins a deployment that waits, if its turn has come: at `deploying` where its files are there, at `building` otherwise. One
 * that is to be deleted has its turn from now on. Violates `deployments_building_unique` when another build of the project
 * begins at the same moment.
 */
export const begun = (db: Db, isHeld: SQL<boolean>, { id, siteId }: Deployment) =>
  [
    // Of two that begin at one site, the second sees the first.
    lockSite(db, siteId),
    db
      .update(deployments)
      .set({
        status: sql`CASE WHEN ${deployments.status} = 'deleting' THEN 'deleting'
          WHEN ${deployments.redeployOf} IS NOT NULL THEN 'deploying' ELSE 'building' END`,
        updatedAt: sql`now()`,
      })
      .where(and(eq(deployments.id, id), isHeld, hasTurn(db)))
      .returning(),
  ] as const;

export type Progress = Partial<
  Pick<
    Deployment,
    "status" | "providerStatus" | "providerDeploymentId" | "providerNotes" | "commitSha" | "url"
  > & { bundle: StoredBundle }
>;

/** Stores what an executor has reached. */
export const progressed = (db: Db, isHeld: SQL<boolean>, { id }: Deployment, progress: Progress) =>
  db
    .update(deployments)
    .set({ ...progress, updatedAt: sql`now()` })
    .where(and(eq(deployments.id, id), isHeld))
    .returning();

/**
 * Notes that the provider is given the deployment now. No row, and nothing noted, when its end was requested, or its person may no
 * longer deploy.
 */
export const givenToProvider = (db: Db, isHeld: SQL<boolean>, { id }: Deployment) =>
  db
    .update(deployments)
    .set({ publishedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(eq(deployments.id, id), isHeld, isNull(deployments.cancelledAt), mayDeploy))
    .returning();

export type SiteChange = Partial<Pick<Site, "name" | "isNameUsed" | "providerSiteId" | "url">>;

/** Stores what is known of a site. */
export const siteKnown = (db: Db, isHeld: SQL<boolean>, { id }: Site, change: SiteChange) =>
  db
    .update(deploymentSites)
    .set(change)
    .where(and(eq(deploymentSites.id, id), isHeld))
    .returning();

/** Write of an outcome: why the attempt failed, or (null) that earlier failures are over. */
export const failureNoted = ({ id }: Deployment, error: string | null): SQL =>
  sql`UPDATE deployments SET error = ${error}::text FROM job
    WHERE id = ${id}::uuid AND error IS DISTINCT FROM ${error}::text
      AND status IN (${sql.join(
        UNFINISHED.map((status) => sql`${status}`),
        sql`, `,
      )})`;
