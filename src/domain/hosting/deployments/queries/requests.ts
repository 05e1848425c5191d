import { and, asc, desc, eq, inArray, isNotNull, isNull, or, sql, type SQL } from "drizzle-orm";
import { deploymentLogs, deployments, deploymentSites, projects } from "#src/db/schema/index.ts";
import { credentialsIn, type CredentialPlace } from "#src/domain/hosting/credentials/index.ts";
import { containersOf } from "#src/domain/workspaces/containers/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Role } from "#src/domain/access/permissions/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { roleInProject, type Viewer } from "#src/domain/workspaces/projects/index.ts";
import type { Draft } from "#src/db/statement.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { HostingName } from "#src/platform/hosting/hosting.ts";
import type { StoredJob } from "#src/work/job.ts";
import { storeRuns } from "./store-runs.ts";

export type Deployment = typeof deployments.$inferSelect;
export type Site = typeof deploymentSites.$inferSelect;
export type DeploymentStatus = Deployment["status"];

/** Statuses of deployments that are not over. */
export const UNFINISHED = ["pending", "building", "pushing", "deploying", "deleting"] as const;

/** What a site is made for: one of a project as a whole, and one of each of its containers. */
const madeForOf = (projectId: string, containerId: string | null) => `${projectId}/${containerId ?? "-"}`;

export type NewSite = Pick<
  Site,
  "id" | "projectId" | "containerId" | "userId" | "provider" | "account" | "isStandin" | "name"
> & { projectId: string; madeFor?: string };

export type NewDeployment = Omit<
  typeof deployments.$inferInsert,
  "siteId" | "version" | "provider" | "containerId" | "projectId"
>;

/**
 * Stores a deployment as the next version of its site, and its job, and the site with its first one. Concurrent requests get versions in
 * turn. Violates `deployments_idempotency_unique`, and stores nothing, when the key was used; a foreign key when the project
 * is gone. Throws the refusal of the ceiling on deployments that are not over.
 */
export async function storeDeployment(
  { db, config }: { db: Db; config: CeilingConfig<"unfinished_deployments"> },
  site: NewSite,
  deployment: NewDeployment,
): Promise<{ deployment: Deployment; jobs: StoredJob[] } | undefined> {
  const { provider, account, isStandin, projectId, containerId } = site;
  const { madeFor = madeForOf(projectId, containerId) } = site;
  const ofSite = sql`made_for = ${madeFor} AND provider = ${provider} AND account = ${account} AND is_standin = ${isStandin}::boolean`;
  const batch = db.batch([
    ...roomFor(db, config, [{ ceiling: "unfinished_deployments", owner: projectId }]),
    db
      .insert(deploymentSites)
      .values({ ...site, madeFor, lastVersion: 1 })
      .onConflictDoUpdate({
        target: [
          deploymentSites.madeFor,
          deploymentSites.provider,
          deploymentSites.account,
          deploymentSites.isStandin,
        ],
        set: { lastVersion: sql`${deploymentSites.lastVersion} + 1` },
      }),
    db
      .insert(deployments)
      .values({
        ...deployment,
        projectId,
        containerId,
        provider,
        siteId: sql`(SELECT id FROM deployment_sites WHERE ${ofSite})`,
        version: sql`(SELECT last_version FROM deployment_sites WHERE ${ofSite})`,
      })
      .returning(),
    storeRuns(db, sql`(SELECT id FROM deployments WHERE id = ${deployment.id}::uuid)`),
  ]);
  const [, , , [stored], { rows }] = await whileThereIsRoom(batch);
  return stored && { deployment: stored, jobs: rows };
}

/** The deployment that a client's key stands for. */
export function deploymentOfKey(db: Db, userId: string, idempotencyKey: string | undefined) {
  return db
    .select()
    .from(deployments)
    .where(
      and(
        eq(deployments.userId, userId),
        idempotencyKey === undefined ? sql`FALSE` : eq(deployments.idempotencyKey, idempotencyKey),
      ),
    );
}

/** What a request for a deployment is decided by: reads of one round trip. */
export const openingOf = (
  db: Db,
  {
    idempotencyKey,
    ...place
  }: Pick<CredentialPlace, "userId" | "provider"> & { projectId: SQL; idempotencyKey: string | undefined },
) =>
  [
    containersOf(db, place.projectId),
    credentialsIn(db, place),
    deploymentOfKey(db, place.userId, idempotencyKey),
  ] as const;

export async function deploymentOf(db: Db, id: string): Promise<Deployment | undefined> {
  const [row] = await db.select().from(deployments).where(eq(deployments.id, id));
  return row;
}

export interface FoundDeployment {
  deployment: Deployment;
  site: Site;
  /** The viewer's role in the project; null for a stranger, and once the project is deleted. */
  role: Role | null;
}

/** A deployment with its site, and a person's role in its project. */
export async function deploymentWithRole(
  db: Db,
  id: string,
  viewer: Viewer,
): Promise<FoundDeployment | undefined> {
  const [row] = await db
    .select({ deployment: deployments, site: deploymentSites, role: roleInProject(viewer) })
    .from(deployments)
    .innerJoin(deploymentSites, eq(deploymentSites.id, deployments.siteId))
    .leftJoin(projects, eq(projects.id, deployments.projectId))
    .where(eq(deployments.id, id));
  return row;
}

export interface DeploymentFilter {
  provider?: HostingName | undefined;
  status?: DeploymentStatus | undefined;
  limit: number;
  offset: number;
}

/** A project's deployments, newest first. */
export function deploymentsOfProject(db: Db, projectId: string, filter: DeploymentFilter) {
  return db
    .select()
    .from(deployments)
    .where(and(eq(deployments.projectId, projectId), ...conditionsOf(filter)))
    .orderBy(desc(deployments.id))
    .limit(filter.limit)
    .offset(filter.offset);
}

/**
 * Deployments that a person requested, newest first, where they still have a role in the project, or the project is deleted.
 * `projectIds` are those that a key is bound to: of deleted projects, it sees none.
 */
export function deploymentsOfUser(
  db: Db,
  viewer: Viewer & { userId: string },
  filter: DeploymentFilter & { projectIds: readonly string[] | null },
) {
  const hasRole = sql`${roleInProject(viewer)} IS NOT NULL`;
  return db
    .select({ deployment: deployments })
    .from(deployments)
    .leftJoin(projects, eq(projects.id, deployments.projectId))
    .where(
      and(
        eq(deployments.userId, viewer.userId),
        filter.projectIds === null
          ? or(isNull(deployments.projectId), hasRole)
          : and(inArray(deployments.projectId, [...filter.projectIds]), hasRole),
        ...conditionsOf(filter),
      ),
    )
    .orderBy(desc(deployments.id))
    .limit(filter.limit)
    .offset(filter.offset);
}

function conditionsOf({ provider, status }: DeploymentFilter) {
  return [
    provider === undefined ? undefined : eq(deployments.provider, provider),
    status === undefined ? undefined : eq(deployments.status, status),
  ];
}

/** Deployments whose variables are known to runs of the agent. */
const KNOWN_ENVS = 20;

/** The encrypted variables of a project's newest deployments that have some. */
export function sealedEnvs(db: Draft, projectId: string | SQL) {
  return db
    .select({ encryptedEnv: deployments.encryptedEnv })
    .from(deployments)
    .where(and(eq(deployments.projectId, projectId), isNotNull(deployments.encryptedEnv)))
    .orderBy(desc(deployments.id))
    .limit(KNOWN_ENVS);
}

/** Requests the end of a deployment that is not over. Returns the job that ends it; none when it is over. */
export async function requestCancel(db: Db, id: string): Promise<StoredJob[]> {
  const isUnderWay = and(
    eq(deployments.id, id),
    inArray(deployments.status, ["pending", "building", "pushing", "deploying"]),
  );
  const [{ rows }, changed] = await db.batch([
    // First: an executor locks its job before the deployment, too.
    storeRuns(db, sql`${db.select({ id: deployments.id }).from(deployments).where(isUnderWay)}`),
    db
      .update(deployments)
      .set({ cancelledAt: sql`coalesce(${deployments.cancelledAt}, now())`, updatedAt: sql`now()` })
      .where(isUnderWay)
      .returning({ id: deployments.id }),
  ]);
  return changed.length > 0 ? rows : [];
}

/**
 * Notes that a deployment is to be deleted, also in the log of its project's team. One that is under way ends first: it is
 * cancelled, and deleted by the executor that ends it. Idempotent. Returns the job that does so.
 */
export async function requestDeletion(
  db: Db,
  id: string,
  entry: Parameters<typeof insertAuditEntry>[1] | undefined,
): Promise<StoredJob[]> {
  const isUnderWay = sql`${deployments.status} IN ('building', 'pushing', 'deploying')`;
  const [{ rows }] = await db.batch([
    storeRuns(db, sql`(SELECT id FROM deployments WHERE id = ${id}::uuid)`),
    db
      .update(deployments)
      .set({
        status: sql`CASE WHEN ${isUnderWay} THEN ${deployments.status} ELSE 'deleting' END`,
        deletedAt: sql`coalesce(${deployments.deletedAt}, now())`,
        cancelledAt: sql`CASE WHEN ${isUnderWay} THEN coalesce(${deployments.cancelledAt}, now()) ELSE ${deployments.cancelledAt} END`,
        error: null,
        updatedAt: sql`now()`,
      })
      .where(eq(deployments.id, id)),
    ...(entry ? [insertAuditEntry(db, entry)] : []),
  ]);
  return rows;
}

/** The lines of a deployment's log after one, oldest first. */
export function linesAfter(db: Db, deploymentId: string, { after, limit }: { after: number; limit: number }) {
  return db
    .select({ line: deploymentLogs.line, text: deploymentLogs.text })
    .from(deploymentLogs)
    .where(and(eq(deploymentLogs.deploymentId, deploymentId), sql`${deploymentLogs.line} > ${after}::int`))
    .orderBy(asc(deploymentLogs.line))
    .limit(limit);
}

export function isUnfinished({ status }: Pick<Deployment, "status">): boolean {
  return UNFINISHED.some((each) => each === status);
}
