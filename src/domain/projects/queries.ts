import { and, desc, eq, inArray, ne, or, sql } from "drizzle-orm";
import { projects, teamMemberships } from "#src/db/schema/index.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Project = typeof projects.$inferSelect;
export type NewProject = typeof projects.$inferInsert;

/** What is absent stays as it is. */
export type ProjectChange = {
  [Field in "name" | "description" | "visibility" | "settings"]?: Project[Field] | undefined;
};

/** The project with this id or slug, and the member's role in its team (null for a stranger). */
export function projectWithRole(db: Db, idOrSlug: string, userId: string) {
  return db
    .select({ project: projects, role: teamMemberships.role })
    .from(projects)
    .leftJoin(
      teamMemberships,
      and(eq(teamMemberships.teamId, projects.teamId), eq(teamMemberships.userId, userId)),
    )
    .where(isId(idOrSlug) ? eq(projects.id, idOrSlug) : eq(projects.slug, idOrSlug));
}

/** Projects a member may see in any of their teams, or in one of them; newest first. */
export function visibleProjects(
  db: Db,
  userId: string,
  only: { teamId?: string | undefined; projectIds?: readonly string[] | undefined },
) {
  return db
    .select({ project: projects, role: teamMemberships.role })
    .from(projects)
    .innerJoin(
      teamMemberships,
      and(eq(teamMemberships.teamId, projects.teamId), eq(teamMemberships.userId, userId)),
    )
    .where(
      and(
        or(
          ne(projects.visibility, "private"),
          eq(projects.ownerId, userId),
          eq(teamMemberships.role, "admin"),
        ),
        only.teamId === undefined ? undefined : eq(projects.teamId, only.teamId),
        only.projectIds === undefined ? undefined : inArray(projects.id, [...only.projectIds]),
      ),
    )
    .orderBy(desc(projects.id));
}

/** The stored project; no row when its slug is taken. */
export function insertProject(db: Db, project: NewProject) {
  return db.insert(projects).values(project).onConflictDoNothing({ target: projects.slug }).returning();
}

export function updateProjectRow(db: Db, projectId: string, change: ProjectChange) {
  return db
    .update(projects)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(projects.id, projectId))
    .returning();
}

/** Lay settings over the stored ones, key by key, in one statement, so that two at once both take effect. */
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

/** The project with all that hangs on it: chats, messages, tasks and their steps go by their foreign keys. */
export function deleteProjectRow(db: Db, projectId: string) {
  return db.delete(projects).where(eq(projects.id, projectId));
}

export function projectExists(db: Db, projectId: string) {
  return db.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId));
}

/** Note that somebody works on the project. A query, so that it may join a batch. */
export function touchProject(db: Db, projectId: string) {
  return db
    .update(projects)
    .set({ lastActivity: sql`now()` })
    .where(eq(projects.id, projectId));
}
