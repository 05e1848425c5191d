import { and, eq, sql } from "drizzle-orm";
import { containers, projects } from "#src/db/schema/index.ts";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/**
 * A container by the names in its address, its project, and the person's role in it; `userId` is null for an
 * unauthenticated visitor.
 */
export function previewOf(db: Db, address: { slug: string; label: string }, userId: string | null) {
  return db
    .select({
      container: containers,
      project: projects,
      role: roleInProject({ userId: sql`${userId}`, isSuperuser: false }),
    })
    .from(containers)
    .innerJoin(projects, eq(projects.id, containers.projectId))
    .where(and(eq(projects.slug, address.slug), eq(containers.label, address.label)));
}

export type Preview = Omit<Awaited<ReturnType<typeof previewOf>>[number], "role">;
