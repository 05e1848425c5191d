import { and, asc, eq, sql } from "drizzle-orm";
import { lockPerson, lockTeam } from "#src/db/locks.ts";
import { pictureAddress } from "#src/db/picture-address.ts";
import { teamMemberships, users } from "#src/db/schema/index.ts";
import type { Role } from "#src/domain/access/permissions/index.ts";
import { revokeKeysOfFormerMember } from "#src/domain/programs/api-keys/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import { revokeInvitationsOf, revokeLinksAbove } from "#src/domain/organisations/invitations/index.ts";
import { deleteProjectRolesOfFormerMember } from "#src/domain/workspaces/projects/index.ts";
import { leaveDefaultTeam } from "#src/domain/organisations/teams/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** One membership: a person and a team. */
export interface Part {
  teamId: string;
  userId: string;
}

const isPart = ({ teamId, userId }: Part) =>
  and(eq(teamMemberships.teamId, teamId), eq(teamMemberships.userId, userId));

// For the row `team_memberships`. The table is named, because drizzle strips column prefixes in a query over one table.
const ownsTeam = sql<boolean>`EXISTS (
  SELECT 1 FROM teams t WHERE t.id = team_memberships.team_id
    AND t.is_personal AND t.created_by = team_memberships.user_id
)`;
// A disabled account administers nothing.
const isLastAdmin = sql<boolean>`(team_memberships.role = 'admin' AND NOT EXISTS (
  SELECT 1 FROM team_memberships other JOIN users ON users.id = other.user_id
  WHERE other.team_id = team_memberships.team_id AND other.user_id <> team_memberships.user_id
    AND other.role = 'admin' AND users.is_active
))`;

const member = {
  userId: users.id,
  name: users.name,
  username: users.username,
  email: users.email,
  avatarUrl: pictureAddress,
  role: teamMemberships.role,
  joinedAt: teamMemberships.createdAt,
};

/** A page of the members in the order of joining: at most `limit` that follow `after`; all if neither is given. */
export interface MemberPage {
  limit?: number | undefined;
  after?: { joinedAt: Date; userId: string } | undefined;
}

/** Members of a team in the order of joining. */
export function membersOfTeam(db: Db, teamId: string, { limit, after }: MemberPage) {
  const found = db
    .select(member)
    .from(teamMemberships)
    .innerJoin(users, eq(users.id, teamMemberships.userId))
    .where(
      and(
        eq(teamMemberships.teamId, teamId),
        after &&
          sql`(${teamMemberships.createdAt}, ${teamMemberships.userId}) > (${after.joinedAt.toISOString()}::timestamptz, ${after.userId}::uuid)`,
      ),
    )
    .orderBy(asc(teamMemberships.createdAt), asc(teamMemberships.userId));
  return limit === undefined ? found : found.limit(limit);
}

export type Member = Awaited<ReturnType<typeof membersOfTeam>>[number];

function partOf(db: Db, part: Part) {
  return db
    .select({ role: teamMemberships.role, ownsTeam, isLastAdmin })
    .from(teamMemberships)
    .where(isPart(part));
}

/** A person's previous role in a team, and the reasons why it cannot be lowered. */
export type PartBefore = Awaited<ReturnType<typeof partOf>>[number];

/**
 * Changes a person's role in a team. The owner of a personal team and the last administrator of a team stay
 * administrators. Changes of one team run one after another behind the lock on its row, so each sees the current
 * administrators. A person who is no longer an administrator loses the invitations they made, and links that would undo
 * the change are revoked. `before` is the previous state, `member` the new one.
 */
export async function updateRole(db: Db, part: Part, role: Role) {
  const [, [before], updated, , , [after]] = await db.batch([
    lockTeam(db, part.teamId),
    partOf(db, part),
    db
      .update(teamMemberships)
      .set({ role })
      .where(and(isPart(part), sql`(${role}::text = 'admin' OR NOT (${ownsTeam} OR ${isLastAdmin}))`))
      .returning({ role: teamMemberships.role }),
    revokeInvitationsOf(db, part),
    revokeLinksAbove(db, part),
    db
      .select(member)
      .from(teamMemberships)
      .innerJoin(users, eq(users.id, teamMemberships.userId))
      .where(isPart(part)),
  ]);
  return { before, changed: updated.length > 0, member: after };
}

/**
 * Removes a person from a team, with their keys, invitations and project roles there, by the rules of `updateRole`. A
 * key or default team that is stored concurrently for the person waits for the lock on the person's row. Links by which
 * the person could rejoin are revoked. `revokedKeys` started tasks that are to be ended.
 */
export async function deletePart(db: Db, part: Part, how: "removed" | "left") {
  const [, , [before], removed, revokedKeys] = await db.batch([
    lockTeam(db, part.teamId),
    lockPerson(db, part.userId),
    partOf(db, part),
    db
      .delete(teamMemberships)
      .where(and(isPart(part), sql`NOT (${ownsTeam} OR ${isLastAdmin})`))
      .returning({ role: teamMemberships.role }),
    revokeKeysOfFormerMember(db, part),
    revokeInvitationsOf(db, part),
    ...(how === "removed" ? [revokeLinksAbove(db, part)] : []),
    leaveDefaultTeam(db, part),
    deleteProjectRolesOfFormerMember(db, part),
  ]);
  return { before, removed: removed.length > 0, revokedKeys: revokedKeys.map(({ id }) => id) };
}

/** Writes several entries in one round trip. */
export async function insertAuditEntries(
  db: Db,
  [first, ...others]: readonly [AuditEntry, ...AuditEntry[]],
): Promise<void> {
  await db.batch([insertAuditEntry(db, first), ...others.map((entry) => insertAuditEntry(db, entry))]);
}
