import { and, eq, sql } from "drizzle-orm";
import { projects, teamMemberships } from "#src/db/schema/index.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Project = typeof projects.$inferSelect;

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

/** Note that somebody works on the project. A query, so that it may join a batch. */
export function touchProject(db: Db, projectId: string) {
  return db
    .update(projects)
    .set({ lastActivity: sql`now()` })
    .where(eq(projects.id, projectId));
}
