import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { projects, snapshots } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Snapshot = typeof snapshots.$inferSelect;
export type NewSnapshot = typeof snapshots.$inferInsert;
export type SnapshotRole = Snapshot["role"];

/** A project's snapshots, newest first; only those of `role` if it is given. */
export function snapshotsOf(db: Db, projectId: string, role?: SnapshotRole) {
  return db
    .select()
    .from(snapshots)
    .where(and(eq(snapshots.projectId, projectId), role === undefined ? undefined : eq(snapshots.role, role)))
    .orderBy(desc(snapshots.id));
}

export function findSnapshot(db: Db, projectId: string, hash: string) {
  return db
    .select()
    .from(snapshots)
    .where(and(eq(snapshots.projectId, projectId), eq(snapshots.hash, hash)));
}

export function snapshotOfTask(db: Db, taskId: string) {
  return db.select({ hash: snapshots.hash }).from(snapshots).where(eq(snapshots.taskId, taskId)).limit(1);
}

/**
 * Serialises additions to and deletions from a project's snapshots, so that no new snapshot refers to a pack that is
 * being deleted.
 */
function lockSnapshots(db: Db, projectId: string) {
  return db.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for("no key update");
}

/**
 * Records a snapshot. Returns false if a pack that it reuses has lost its last snapshot since, if the project is
 * deleted, or if the project has a newer executor than the given generation. An existing row stays as it is.
 */
export async function insertSnapshot(
  db: Db,
  snapshot: NewSnapshot & { id: string },
  { takenOver, generation = null }: { takenOver: readonly string[]; generation?: number | undefined | null },
): Promise<boolean> {
  const [, { rows }] = await db.batch([
    lockSnapshots(db, snapshot.projectId),
    db.execute<{ stands: boolean }>(sql`
      WITH possible AS (
        SELECT p.id FROM projects p
        WHERE p.id = ${snapshot.projectId}::uuid
          AND (${generation}::int IS NULL OR p.generation = ${generation}::int)
          AND ${textArray(takenOver)} <@ ARRAY(
          SELECT unnest(s.packs) FROM snapshots s WHERE s.project_id = p.id
        )
      ), added AS (
        INSERT INTO snapshots (id, project_id, hash, parent_hash, role, label, file_count, total_bytes, packs,
          chat_id, task_id, created_by)
        SELECT ${snapshot.id}::uuid, possible.id, ${snapshot.hash}::text, ${snapshot.parentHash ?? null}::text,
          ${snapshot.role}::text, ${snapshot.label}::text, ${snapshot.fileCount}::int,
          ${snapshot.totalBytes}::bigint, ${textArray(snapshot.packs)}, ${snapshot.chatId ?? null}::uuid,
          ${snapshot.taskId ?? null}::uuid, ${snapshot.createdBy ?? null}::uuid
        FROM possible
        ON CONFLICT (project_id, hash) DO NOTHING
      )
      SELECT EXISTS (SELECT 1 FROM possible) AS stands
    `),
  ]);
  return rows[0]?.stands === true;
}

function textArray(values: readonly string[]) {
  return sql`ARRAY(SELECT jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
}

export interface Retention {
  /** The most snapshots of one role. */
  count: number;
  days: number;
}

/** Selects the rows that exceed the retention. Of those against a loss of the files only the newest is kept, however old. */
const excess = ({ count, days }: Retention, projectId?: string) => sql`
  SELECT id, project_id FROM (
    SELECT id, project_id, role, created_at,
      row_number() OVER (PARTITION BY project_id, role ORDER BY id DESC) AS place
    FROM snapshots ${projectId === undefined ? sql`` : sql`WHERE project_id = ${projectId}::uuid`}
  ) AS ranked
  WHERE place > CASE WHEN role IN ('hibernation', 'automatic') THEN 1 ELSE ${count}::int END
    OR (role NOT IN ('hibernation', 'automatic') AND created_at < now() - make_interval(days => ${days}::int))
`;

/** Up to 1000 projects that have more snapshots than the retention allows. */
export async function projectsWithExcess(db: Db, retention: Retention): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(
    sql`SELECT DISTINCT project_id AS id FROM (${excess(retention)}) AS old LIMIT 1000`,
  );
  return rows.map(({ id }) => id);
}

/** Deletes a project's rows that exceed the retention, and returns them. */
export async function deleteExcess(db: Db, projectId: string, retention: Retention) {
  const [, deleted] = await db.batch([
    lockSnapshots(db, projectId),
    db
      .delete(snapshots)
      .where(sql`${snapshots.id} IN (SELECT id FROM (${excess(retention, projectId)}) AS old)`)
      .returning({ hash: snapshots.hash, packs: snapshots.packs }),
  ]);
  return deleted;
}

/** Hashes and packs that the rows of these projects name. */
export function namedArchives(db: Db, projectIds: readonly string[]) {
  return db
    .select({ projectId: snapshots.projectId, hash: snapshots.hash, packs: snapshots.packs })
    .from(snapshots)
    .where(inArray(snapshots.projectId, [...projectIds]));
}
