import { sql, type SQL } from "drizzle-orm";
import type { Role } from "#src/domain/access/permissions/index.ts";
import { roleInProject, type Person } from "#src/domain/workspaces/projects/index.ts";

/**
 * SQL value: a person's role in the project of the row `projects`, where something of `ownerId` is read. What others share is
 * shared with the people of the project: a superuser needs a role of their own for it.
 */
export function roleBesides(ownerId: SQL, viewer: Person): SQL<Role | null> {
  if (!viewer.isSuperuser) return roleInProject(viewer);
  return sql<Role | null>`CASE WHEN ${ownerId} = ${viewer.userId}::uuid THEN ${roleInProject(viewer)}
    ELSE ${roleInProject({ ...viewer, isSuperuser: false })} END`;
}
