import { and, desc, eq, isNotNull, isNull, lt, lte, or, sql, type SQL } from "drizzle-orm";
import { shareTeam } from "#src/db/locks.ts";
import { projects } from "#src/db/schema/index.ts";
import type { Role, Scope } from "#src/domain/access/permissions/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import { endTasks, insertBackgroundTask } from "#src/domain/workspaces/background-tasks/index.ts";
import type { Client } from "#src/lib/client.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { isId, newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { storeRemovals } from "./removal.ts";
import { storeTransitions } from "./state.ts";

export type Project = typeof projects.$inferSelect;
export type NewProject = typeof projects.$inferInsert;

/** Absent fields stay as they are. */
export type ProjectChange = {
  [Field in "name" | "description" | "visibility" | "settings"]?: Project[Field] | undefined;
};

/** The person whose role is looked up. A key never has superuser rights. */
export interface Viewer {
  /** An id, or the column that holds it. */
  userId: string | SQL;
  isSuperuser: boolean | SQL;
  /** The only team in whose projects there is a role; all, when it is absent or null. */
  teamId?: string | SQL | undefined;
}

/** A viewer whose rights are known before the query. */
export interface Person extends Viewer {
  userId: string;
  isSuperuser: boolean;
}

/**
 * SQL value: a person's role in the project of the row `projects`; null if the person must not learn that the project
 * exists. Superusers are administrators of every project, and administrators of a team are administrators of its projects.
 * Otherwise a role in the project itself applies. Without one, only the owner has a role in a private project; in any other
 * project the role in the team applies. An owner who has left the team has no role. All queries that give a person access
 * to a project use this function.
 */
export function roleInProject({ userId, isSuperuser, teamId }: Viewer): SQL<Role | null> {
  // The table is named, since a query over one table strips the columns of an expression of theirs.
  return sql<Role | null>`(
    SELECT CASE
      ${teamId === undefined ? sql`` : sql`WHEN projects.team_id <> ${teamId}::uuid THEN NULL`}
      WHEN ${isSuperuser}::boolean OR in_team.role = 'admin' THEN 'admin'
      WHEN in_project.role IS NOT NULL THEN in_project.role
      WHEN projects.visibility <> 'private' THEN in_team.role
      WHEN in_team.role IS NOT NULL AND projects.owner_id = viewer.id THEN 'admin'
    END
    FROM (SELECT ${userId}::uuid AS id) AS viewer
    LEFT JOIN team_memberships AS in_team
      ON in_team.team_id = projects.team_id AND in_team.user_id = viewer.id
    LEFT JOIN project_memberships AS in_project
      ON in_project.project_id = projects.id AND in_project.user_id = viewer.id
  )`;
}

/**
 * The project with this id or slug, and a person's role in it (null for none). `memberRole` is the role that a superuser has
 * besides that; it is null for others.
 */
export function projectWithRole(db: Db, idOrSlug: string, viewer: Person) {
  const memberRole = viewer.isSuperuser
    ? roleInProject({ ...viewer, isSuperuser: false })
    : sql<Role | null>`NULL`;
  return db
    .select({ project: projects, role: roleInProject(viewer), memberRole })
    .from(projects)
    .where(isId(idOrSlug) ? eq(projects.id, idOrSlug) : eq(projects.slug, idOrSlug));
}

/** The id of the project with this id or slug, as an expression: null where there is none. */
export const projectIdOf = (idOrSlug: string): SQL =>
  isId(idOrSlug) ? sql`${idOrSlug}::uuid` : sql`(SELECT id FROM projects WHERE slug = ${idOrSlug}::text)`;

/** Action of an administrator of the installation in the project of others. */
const ENTERED = "project.entered";

/**
 * Notes that an administrator of the installation used a permission in a project that a member with the same role would not
 * have: in the trail of administrators and in the log of the project's team, once an hour.
 */
export async function noteAdministrator(
  db: Db,
  { userId, project, scope }: { userId: string; project: Pick<Project, "id" | "teamId">; scope: Scope },
): Promise<void> {
  const id = newId();
  const details = { permission: scope };
  await db.batch([
    db.execute(sql`
      INSERT INTO admin_actions (id, admin_id, action_type, target_type, target_id, details)
      SELECT ${id}::uuid, ${userId}::uuid, ${ENTERED}::text, 'project', ${project.id}::text, ${JSON.stringify(details)}::jsonb
      WHERE NOT EXISTS (
        SELECT 1 FROM admin_actions
        WHERE target_id = ${project.id}::text AND admin_id = ${userId}::uuid AND action_type = ${ENTERED}::text
          AND details ->> 'permission' = ${scope}::text AND created_at > now() - interval '1 hour'
      )`),
    insertAuditEntry(
      db,
      {
        userId,
        teamId: project.teamId,
        projectId: project.id,
        action: ENTERED,
        resourceType: "project",
        resourceId: project.id,
        details,
      },
      sql`EXISTS (SELECT 1 FROM admin_actions WHERE id = ${id}::uuid)`,
    ),
  ]);
}

/** Selects from the projects that a person can see: all, those of one team, given ones, or those after another one. */
export interface ProjectFilter {
  teamId?: string | undefined;
  projectIds?: readonly string[] | undefined;
  /** Only projects that come after this one in the list, which begins with the newest; it need not exist. */
  after?: string | undefined;
  /** The most that are returned. */
  limit?: number | undefined;
}

/**
 * Projects that a person can see, in all teams or in one, newest first. For superusers the list holds only projects of
 * their own teams; they reach others by name.
 *
 * The ids are looked up team by team, in the order of the index, and the role only for those. A single condition or a join
 * over all projects would read every project of the installation.
 */
export function visibleProjects(
  db: Db,
  viewer: Viewer & { userId: string },
  { teamId, projectIds, after, limit }: ProjectFilter,
) {
  const { userId } = viewer;
  const wanted = sql.join(
    [
      sql`${roleInProject(viewer)} IS NOT NULL`,
      ...(teamId === undefined ? [] : [sql`projects.team_id = ${teamId}::uuid`]),
      ...(projectIds === undefined ? [] : [sql`projects.id IN (${listOf(projectIds)})`]),
      ...(after === undefined ? [] : [sql`projects.id < ${after}::uuid`]),
    ],
    sql` AND `,
  );
  const page = sql`ORDER BY projects.id DESC LIMIT ${limit ?? null}::bigint`;
  const ofTeams = sql`
    SELECT in_list.id FROM team_memberships AS part, LATERAL (
      SELECT projects.id FROM projects WHERE projects.team_id = part.team_id AND ${wanted} ${page}
    ) AS in_list
    WHERE part.user_id = ${userId}::uuid`;
  const ofOwnParts = sql`
    SELECT projects.id FROM projects WHERE ${wanted} AND projects.id IN (
      SELECT part.project_id FROM project_memberships AS part WHERE part.user_id = ${userId}::uuid
    )`;
  const found = db
    .select()
    .from(projects)
    .where(sql`${projects.id} = ANY (ARRAY(${ofTeams} UNION ${ofOwnParts}))`)
    .orderBy(desc(projects.id));
  return limit === undefined ? found : found.limit(limit);
}

/** Ids as one value of the statement, whose text is the same for any number of them. */
function listOf(ids: readonly string[]): SQL {
  return sql`SELECT value::uuid FROM jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) AS value`;
}

/**
 * Stores a project, with the job of what is wanted of it; undefined when its slug is taken. With `limits`, throws the refusal
 * of the ceiling on projects, by the team's tier.
 */
export async function insertProject(
  db: Db,
  project: NewProject & { id: string },
  limits: CeilingConfig<"projects"> | undefined,
): Promise<Project | undefined> {
  const insert = db
    .insert(projects)
    .values(project)
    .onConflictDoNothing({ target: projects.slug })
    .returning();
  const wanted = db.execute(
    storeTransitions(sql`FROM projects WHERE id = ${project.id}::uuid AND wanted IS NOT NULL`),
  );
  if (!limits) return (await db.batch([insert, wanted]))[0][0];
  const room = roomFor(db, limits, [{ ceiling: "projects", owner: project.teamId }]);
  const [, , [stored]] = await whileThereIsRoom(db.batch([...room, insert, wanted]));
  return stored;
}

/** Changes a project and writes the audit log entry, if given; no effect for a deleted project. */
export async function updateProjectRow(
  db: Db,
  projectId: string,
  change: ProjectChange,
  entry?: AuditEntry & { teamId: string },
): Promise<Project | undefined> {
  const update = db
    .update(projects)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(projects.id, projectId))
    .returning();
  if (!entry) return (await update)[0];
  const [, [updated]] = await db.batch([shareTeam(db, entry.teamId), update, insertAuditEntry(db, entry)]);
  return updated;
}

/** Merges settings into the stored ones, key by key, in one statement, so that concurrent changes both take effect. */
export function mergeSettings(db: Db, projectId: string, settings: Record<string, unknown>) {
  return db
    .update(projects)
    .set({
      settings: sql`${projects.settings} || ${JSON.stringify(settings)}::jsonb`,
      updatedAt: sql`now()`,
    })
    .where(eq(projects.id, projectId))
    .returning({ settings: projects.settings });
}

/**
 * SQL statement that ends the channels of projects that its transaction deletes. `doomed` is a list of their ids. Without
 * this, their messages would be about other projects. Returns those that were active.
 */
export const endChannelsOfProjects = (doomed: SQL) => sql`
  UPDATE channel_configs AS channel SET is_active = false, ended_because = 'project_deleted'
  FROM channel_configs AS before, users AS owner
  WHERE channel.project_id IN (${doomed}) AND before.id = channel.id AND owner.id = channel.user_id
  RETURNING before.is_active, channel.name, owner.id AS owner_id, owner.email`;

/** A channel that ended with its project. */
export interface EndedChannel {
  name: string;
  ownerId: string;
  email: string;
}

/**
 * Deletes the project, with an entry in its team's log. Its chats, messages, tasks and steps are deleted by foreign keys.
 * Ends its background tasks, and stores the removal of its files, with a background task that shows it. Returns the channels
 * that end with it.
 */
export async function deleteProjectRow(
  db: Db,
  { id: projectId, teamId, name, slug }: Project,
  task: { id: string; userId: string },
  client: Client | undefined,
): Promise<EndedChannel[]> {
  const about = { resourceType: "project", resourceId: projectId, details: { name, slug } };
  const [, , , ended] = await db.batch([
    shareTeam(db, teamId),
    // A channel that is being made waits, and then finds no project.
    db.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for("update"),
    insertAuditEntry(
      db,
      { userId: task.userId, teamId, action: "project.deleted", ...about, client },
      sql`EXISTS (SELECT 1 FROM projects WHERE id = ${projectId}::uuid)`,
    ),
    db.execute<EndedChannel & Record<string, unknown>>(sql`
      WITH ended AS (${endChannelsOfProjects(sql`${projectId}::uuid`)})
      SELECT name, owner_id AS "ownerId", email FROM ended WHERE is_active`),
    db.execute(storeRemovals(sql`SELECT id, slug FROM projects WHERE id = ${projectId}::uuid`)),
    db.delete(projects).where(eq(projects.id, projectId)),
    endTasks(db, { projectId }, { status: "cancelled", error: "The project was deleted" }),
    insertBackgroundTask(db, { ...task, projectId, type: "project_deletion", status: "running" }),
  ]);
  return ended.rows;
}

const activity = { lastActivity: sql`now()`, idleWarnedAt: null };

/** Records that a person works on the project. Returns a query, so that it can be part of a batch. */
export function touchProject(db: Db, projectId: string) {
  return db.update(projects).set(activity).where(eq(projects.id, projectId));
}

/** The same by id or slug, once a minute at most, except that the first use after a requested snapshot is always recorded. */
export async function touchProjectNowAndThen(db: Db, idOrSlug: string): Promise<void> {
  await db
    .update(projects)
    .set(activity)
    .where(
      and(
        isId(idOrSlug) ? eq(projects.id, idOrSlug) : eq(projects.slug, idOrSlug),
        or(
          isNull(projects.lastActivity),
          lt(projects.lastActivity, sql`now() - interval '1 minute'`),
          isNotNull(projects.idleWarnedAt),
          lte(projects.lastActivity, projects.saveAskedAt),
        ),
      ),
    );
}
