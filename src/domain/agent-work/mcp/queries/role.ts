import { sql, type SQL } from "drizzle-orm";
import type { Role } from "#src/domain/access/permissions/index.ts";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";

/**
 * SQL value: a person's role for the server of the row `mcp_servers`: their own is theirs, and one of a team or a project is its
 * members'. Null if the person must not learn that it exists. An administrator of the installation has no role of their own.
 */
export const roleFor = (userId: string | SQL) => sql<Role | null>`CASE mcp_servers.scope
  WHEN 'person' THEN CASE WHEN mcp_servers.user_id = ${userId}::uuid THEN 'admin' END
  WHEN 'team' THEN (
    SELECT m.role FROM team_memberships AS m WHERE m.team_id = mcp_servers.team_id AND m.user_id = ${userId}::uuid)
  ELSE (SELECT ${roleInProject({ userId, isSuperuser: false })} FROM projects
    WHERE projects.id = mcp_servers.project_id) END`;
