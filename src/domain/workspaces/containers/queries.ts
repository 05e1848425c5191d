import { and, asc, eq, inArray, isNull, sql, type SQL } from "drizzle-orm";
import { shareTeam } from "#src/db/locks.ts";
import { browserPreviews, containerConnections, containers } from "#src/db/schema/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Draft } from "#src/db/statement.ts";

export type Container = typeof containers.$inferSelect;
export type NewContainer = typeof containers.$inferInsert;
export type Connection = typeof containerConnections.$inferSelect;
export type BrowserPreview = typeof browserPreviews.$inferSelect;

/** Absent fields stay as they are. */
export type ContainerChange = { [Field in keyof NewContainer]?: NewContainer[Field] | undefined };
export type PreviewChange = {
  [Field in "connectedContainerId" | "positionX" | "positionY" | "currentPath"]?:
    | BrowserPreview[Field]
    | undefined;
};

/** The containers of a project, oldest first. */
export function containersOf(db: Db, projectId: string | SQL) {
  return db.select().from(containers).where(eq(containers.projectId, projectId)).orderBy(asc(containers.id));
}

/** Encrypted variables and credentials of a project's containers. */
export function sealedVariables(db: Draft, projectId: string | SQL) {
  const { encryptedEnv, encryptedCredentials } = containers;
  return db
    .select({ encryptedEnv, encryptedCredentials })
    .from(containers)
    .where(eq(containers.projectId, projectId))
    .orderBy(asc(containers.id));
}

export function containerOf(db: Db, projectId: string, containerId: string) {
  return db
    .select()
    .from(containers)
    .where(and(eq(containers.projectId, projectId), eq(containers.id, containerId)));
}

/**
 * Throws if the label is taken (index `containers_label_unique`), if the project is deleted (foreign key), and the refusal of
 * the ceiling on containers.
 */
export async function insertContainer(
  { db, config }: { db: Db; config: CeilingConfig<"containers"> },
  container: NewContainer,
): Promise<Container | undefined> {
  const room = roomFor(db, config, [{ ceiling: "containers", owner: container.projectId }]);
  const insert = db.insert(containers).values(container).returning();
  const [, , [made]] = await whileThereIsRoom(db.batch([...room, insert]));
  return made;
}

/** No row for a deleted container. */
export function updateContainerRow(db: Db, containerId: string, change: ContainerChange) {
  return db
    .update(containers)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(containers.id, containerId))
    .returning();
}

/** Replaces the variables of a container; no row when another request has changed them since `before` was read. */
export function replaceVariables(
  db: Db,
  containerId: string,
  before: string | null,
  after: { encrypted: string | null; keys: string[] },
) {
  return db
    .update(containers)
    .set({ encryptedEnv: after.encrypted, envKeys: after.keys, updatedAt: sql`now()` })
    .where(
      and(
        eq(containers.id, containerId),
        before === null ? isNull(containers.encryptedEnv) : eq(containers.encryptedEnv, before),
      ),
    )
    .returning();
}

export async function deleteContainerRow(
  db: Db,
  { id, projectId }: Pick<Container, "id" | "projectId">,
  entry: AuditEntry & { teamId: string },
): Promise<void> {
  await db.batch([
    shareTeam(db, entry.teamId),
    insertAuditEntry(db, entry, sql`EXISTS (SELECT 1 FROM containers WHERE id = ${id}::uuid)`),
    db.delete(containers).where(and(eq(containers.projectId, projectId), eq(containers.id, id))),
  ]);
}

/** Begins a start. From now on `markOutcome` refuses outcomes of earlier starts. */
export function markStarting(db: Db, containerId: string, internalPort: number) {
  return db
    .update(containers)
    .set({ status: "starting", internalPort, error: null, startedAt: sql`clock_timestamp()` })
    .where(eq(containers.id, containerId))
    .returning({ startedAt: containers.startedAt });
}

/** Records the outcome of one start of a container; no row when the container was stopped or started again since. */
export function markOutcome(
  db: Db,
  container: Pick<Container, "id" | "startedAt">,
  outcome: Pick<Container, "status" | "error">,
) {
  const { id, startedAt } = container;
  return db
    .update(containers)
    .set(outcome)
    .where(
      and(
        eq(containers.id, id),
        inArray(containers.status, ["starting", "running"]),
        startedAt === null ? isNull(containers.startedAt) : eq(containers.startedAt, startedAt),
      ),
    )
    .returning({ id: containers.id });
}

/** External containers stay connected. */
export function markStopped(db: Db, projectId: string, only?: readonly string[]) {
  return db
    .update(containers)
    .set({ status: "stopped", error: null, startedAt: null })
    .where(and(ofProject(projectId, only), eq(containers.deploymentMode, "container")));
}

/**
 * Records whether some or all containers run while their project runs. Returns a query, so that it can be part of a
 * batch.
 */
export function markWanted(db: Db, projectId: string, wanted: boolean, only?: readonly string[]) {
  return db.update(containers).set({ wanted }).where(ofProject(projectId, only));
}

function ofProject(projectId: string, only: readonly string[] | undefined) {
  return and(
    eq(containers.projectId, projectId),
    only === undefined ? undefined : inArray(containers.id, [...only]),
  );
}

export function connectionsOf(db: Db, projectId: string) {
  return db
    .select()
    .from(containerConnections)
    .where(eq(containerConnections.projectId, projectId))
    .orderBy(asc(containerConnections.id));
}

/** No row if the two are already connected. Throws if one of them is deleted (foreign key). */
export function insertConnection(db: Db, connection: typeof containerConnections.$inferInsert) {
  return db
    .insert(containerConnections)
    .values(connection)
    .onConflictDoNothing({
      target: [containerConnections.sourceContainerId, containerConnections.targetContainerId],
    })
    .returning();
}

export function deleteConnectionRow(db: Db, projectId: string, connectionId: string) {
  return db
    .delete(containerConnections)
    .where(and(eq(containerConnections.projectId, projectId), eq(containerConnections.id, connectionId)))
    .returning({ id: containerConnections.id });
}

export function previewsOf(db: Db, projectId: string) {
  return db
    .select()
    .from(browserPreviews)
    .where(eq(browserPreviews.projectId, projectId))
    .orderBy(asc(browserPreviews.id));
}

/** Throws if the container is deleted (foreign key), and the refusal of the ceiling on previews. */
export async function insertPreview(
  { db, config }: { db: Db; config: CeilingConfig<"browser_previews"> },
  preview: typeof browserPreviews.$inferInsert,
): Promise<BrowserPreview | undefined> {
  const room = roomFor(db, config, [{ ceiling: "browser_previews", owner: preview.projectId }]);
  const insert = db.insert(browserPreviews).values(preview).returning();
  const [, , [made]] = await whileThereIsRoom(db.batch([...room, insert]));
  return made;
}

export function updatePreviewRow(db: Db, projectId: string, previewId: string, change: PreviewChange) {
  return db
    .update(browserPreviews)
    .set({ ...change, updatedAt: sql`now()` })
    .where(and(eq(browserPreviews.projectId, projectId), eq(browserPreviews.id, previewId)))
    .returning();
}

export function deletePreviewRow(db: Db, projectId: string, previewId: string) {
  return db
    .delete(browserPreviews)
    .where(and(eq(browserPreviews.projectId, projectId), eq(browserPreviews.id, previewId)))
    .returning({ id: browserPreviews.id });
}
