import { and, asc, eq, sql } from "drizzle-orm";
import { shareTeam } from "#src/db/locks.ts";
import { pictureAddress } from "#src/db/picture-address.ts";
import { projectMemberships, users } from "#src/db/schema/index.ts";
import type { Role } from "#src/domain/access/permissions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Project } from "./projects.ts";

const member = {
  userId: users.id,
  name: users.name,
  username: users.username,
  email: users.email,
  avatarUrl: pictureAddress,
  role: projectMemberships.role,
  joinedAt: projectMemberships.createdAt,
};

/**
 * People with a role in the project itself, in the order in which they received it: all, one of them, or those after one.
 */
export function membersOfProject(
  db: Db,
  projectId: string,
  only: {
    userId?: string;
    limit?: number | undefined;
    after?: { joinedAt: Date; userId: string } | undefined;
  } = {},
) {
  const { userId, limit, after } = only;
  const found = db
    .select(member)
    .from(projectMemberships)
    .innerJoin(users, eq(users.id, projectMemberships.userId))
    .where(
      and(
        eq(projectMemberships.projectId, projectId),
        userId === undefined ? undefined : eq(projectMemberships.userId, userId),
        after &&
          sql`(${projectMemberships.createdAt}, ${projectMemberships.userId}) > (${after.joinedAt.toISOString()}::timestamptz, ${after.userId}::uuid)`,
      ),
    )
    .orderBy(asc(projectMemberships.createdAt), asc(projectMemberships.userId));
  return limit === undefined ? found : found.limit(limit);
}

export type ProjectMember = Awaited<ReturnType<typeof membersOfProject>>[number];

/**
 * Gives a member of the project's team a role in the project. Locks the team and the membership, so that a concurrent
 * removal from the team also removes the new row. No row for a person who is not in the team; `added` says whether the
 * person had no role before.
 */
export async function insertProjectMember(
  db: Db,
  project: Pick<Project, "id" | "teamId">,
  person: { userId: string | null; email: string | null },
  role: Role,
): Promise<{ userId: string; added: boolean } | undefined> {
  const [, result] = await db.batch([
    shareTeam(db, project.teamId),
    db.execute<{ userId: string; added: boolean }>(sql`
      WITH person AS (
        SELECT m.user_id FROM team_memberships m JOIN users u ON u.id = m.user_id
        WHERE m.team_id = ${project.teamId}::uuid
          AND (u.id = ${person.userId}::uuid OR lower(u.email) = lower(${person.email}::text))
        ORDER BY u.email_asked_at NULLS FIRST, u.id LIMIT 1
        FOR SHARE OF m
      ), added AS (
        INSERT INTO project_memberships (project_id, user_id, role)
        SELECT ${project.id}::uuid, user_id, ${role}::text FROM person
        ON CONFLICT DO NOTHING RETURNING user_id
      )
      SELECT user_id AS "userId", EXISTS (SELECT 1 FROM added) AS added FROM person
    `),
  ]);
  return result.rows[0];
}

/** Changes a person's role in the project and returns the previous one. No row for a person without a role. */
export async function updateProjectMember(
  db: Db,
  projectId: string,
  userId: string,
  role: Role,
): Promise<{ before: Role } | undefined> {
  const result = await db.execute<{ before: Role }>(sql`
    WITH old AS (
      SELECT role FROM project_memberships
      WHERE project_id = ${projectId}::uuid AND user_id = ${userId}::uuid FOR UPDATE
    )
    UPDATE project_memberships SET role = ${role}::text FROM old
    WHERE project_id = ${projectId}::uuid AND user_id = ${userId}::uuid
    RETURNING old.role AS before
  `);
  return result.rows[0];
}

export function deleteProjectMember(db: Db, projectId: string, userId: string) {
  return db
    .delete(projectMemberships)
    .where(and(eq(projectMemberships.projectId, projectId), eq(projectMemberships.userId, userId)))
    .returning({ role: projectMemberships.role });
}

/** Removes the project roles of a person who has left the team. Returns a query for the batch of the removal. */
export function deleteProjectRolesOfFormerMember(
  db: Db,
  { teamId, userId }: { teamId: string; userId: string },
) {
  return db.execute(sql`
    DELETE FROM project_memberships USING projects
    WHERE projects.id = project_memberships.project_id AND projects.team_id = ${teamId}::uuid
      AND project_memberships.user_id = ${userId}::uuid
      AND NOT EXISTS (SELECT 1 FROM team_memberships m WHERE m.team_id = ${teamId}::uuid AND m.user_id = ${userId}::uuid)
  `);
}
