import { sql } from "drizzle-orm";
import type { Scope } from "#src/domain/organisations/access/index.ts";
import { insertAuditEntry } from "#src/domain/organisations/audit/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Project } from "./queries.ts";

const ACTION = "project.entered";

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
      SELECT ${id}::uuid, ${userId}::uuid, ${ACTION}::text, 'project', ${project.id}::text, ${JSON.stringify(details)}::jsonb
      WHERE NOT EXISTS (
        SELECT 1 FROM admin_actions
        WHERE target_id = ${project.id}::text AND admin_id = ${userId}::uuid AND action_type = ${ACTION}::text
          AND details ->> 'permission' = ${scope}::text AND created_at > now() - interval '1 hour'
      )`),
    insertAuditEntry(
      db,
      {
        userId,
        teamId: project.teamId,
        projectId: project.id,
        action: ACTION,
        resourceType: "project",
        resourceId: project.id,
        details,
      },
      sql`EXISTS (SELECT 1 FROM admin_actions WHERE id = ${id}::uuid)`,
    ),
  ]);
}
