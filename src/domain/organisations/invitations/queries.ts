import { and, desc, eq, gt, isNull, lt, or, sql, type SQL } from "drizzle-orm";
import { lockPerson, lockTeam } from "#src/db/locks.ts";
import { teamInvitations, teamMemberships, teams, users } from "#src/db/schema/index.ts";
import type { Role } from "#src/domain/access/permissions/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Invitation = typeof teamInvitations.$inferSelect;

export interface NewInvitation {
  id: string;
  teamId: string;
  invitedBy: string;
  role: Role;
  tokenHash: string;
  expiresAt: Date;
}

/** Invitations of a disabled account cannot be used while it is disabled. */
const isInviterActive = sql`EXISTS (SELECT 1 FROM users i WHERE i.id = ${teamInvitations.invitedBy} AND i.is_active)`;

/** Neither revoked, nor expired, nor used up. */
const isOpen = and(
  isNull(teamInvitations.revokedAt),
  isInviterActive,
  gt(teamInvitations.expiresAt, sql`now()`),
  or(isNull(teamInvitations.maxUses), lt(teamInvitations.uses, teamInvitations.maxUses)),
);

const isInviterAdmin = ({ teamId, invitedBy }: NewInvitation) => sql<boolean>`EXISTS (
  SELECT 1 FROM team_memberships m
  WHERE m.team_id = ${teamId}::uuid AND m.user_id = ${invitedBy}::uuid AND m.role = 'admin'
)`;

/**
 * Deletes an invitation that this transaction has inserted, if it is not allowed. The check runs behind the lock,
 * before other transactions can see the row.
 */
function takeBack(db: Db, id: string, wrong: SQL) {
  return db
    .delete(teamInvitations)
    .where(and(eq(teamInvitations.id, id), sql`(${wrong})`))
    .returning({ id: teamInvitations.id });
}

/** Writes the entry only if the invitation was not deleted again. */
function note(db: Db, { id }: NewInvitation, entry: AuditEntry) {
  return insertAuditEntry(db, entry, sql`EXISTS (SELECT 1 FROM team_invitations i WHERE i.id = ${id}::uuid)`);
}

/**
 * Stores an invitation for one address, unless its owner is already in the team, the team has sent the most in the window, or the
 * inviter is no longer an administrator. Revokes an earlier one for the address. Requests of one team run one after
 * another behind the lock on its row. `created` is absent if nothing was stored; `roomInSeconds` is then the time until
 * the limit allows another.
 */
export async function insertEmailInvitation(
  db: Db,
  invitation: NewInvitation & { email: string },
  { most, seconds }: { most: number; seconds: number },
  entry: AuditEntry,
) {
  const { id, teamId, email } = invitation;
  const window = sql`make_interval(secs => ${seconds})`;
  const sentInWindow = and(
    eq(teamInvitations.teamId, teamId),
    eq(teamInvitations.kind, "email"),
    gt(teamInvitations.createdAt, sql`now() - ${window}`),
  );
  const isMember = sql<boolean>`EXISTS (
    SELECT 1 FROM team_memberships m JOIN users u ON u.id = m.user_id
    WHERE m.team_id = ${teamId}::uuid AND lower(u.email) = lower(${email})
  )`;
  const [[team], [inviter], [oldestOfFull], [created], takenBack] = await db.batch([
    lockTeam(db, teamId),
    db
      .select({ name: users.name, inviteeIsMember: isMember })
      .from(users)
      .where(eq(users.id, invitation.invitedBy)),
    db
      .select({
        roomInSeconds: sql<number>`ceil(extract(epoch FROM created_at + ${window} - now()))::int`,
      })
      .from(teamInvitations)
      .where(sentInWindow)
      .orderBy(desc(teamInvitations.createdAt))
      .offset(most - 1)
      .limit(1),
    db
      .insert(teamInvitations)
      .values({ ...invitation, kind: "email", maxUses: 1 })
      .returning(),
    takeBack(
      db,
      id,
      sql`${isMember} OR NOT ${isInviterAdmin(invitation)}
        OR (SELECT count(*) FROM team_invitations WHERE ${sentInWindow}) > ${most}`,
    ),
    db
      .update(teamInvitations)
      .set({ revokedAt: sql`now()` })
      .where(
        and(
          eq(teamInvitations.teamId, teamId),
          sql`lower(team_invitations.email) = lower(${email})`,
          sql`team_invitations.id <> ${id}::uuid`,
          isOpen,
          sql`EXISTS (SELECT 1 FROM team_invitations made WHERE made.id = ${id}::uuid)`,
        ),
      ),
    note(db, invitation, entry),
  ]);
  return {
    created: takenBack.length === 0 ? created : undefined,
    teamName: team?.name ?? "",
    inviterName: inviter?.name ?? "",
    inviteeIsMember: inviter?.inviteeIsMember ?? false,
    roomInSeconds: oldestOfFull?.roomInSeconds,
  };
}

/**
 * Stores a link; nothing when the inviter is no longer an administrator. Throws the refusal of the ceiling on links.
 */
export async function insertLink(
  { db, config }: { db: Db; config: CeilingConfig<"invitation_links"> },
  invitation: NewInvitation & { maxUses: number | null },
  entry: AuditEntry,
): Promise<Invitation | undefined> {
  const [, , , [created], takenBack] = await whileThereIsRoom(
    db.batch([
      ...roomFor(db, config, [{ ceiling: "invitation_links", owner: invitation.teamId }]),
      lockTeam(db, invitation.teamId),
      db
        .insert(teamInvitations)
        .values({ ...invitation, kind: "link" })
        .returning(),
      takeBack(db, invitation.id, sql`NOT ${isInviterAdmin(invitation)}`),
      note(db, invitation, entry),
    ]),
  );
  return takenBack.length === 0 ? created : undefined;
}

/** Invitations of a team that can still be accepted, newest first, with the inviter's name. */
export function openInvitations(db: Db, teamId: string) {
  return db
    .select({ invitation: teamInvitations, inviterName: users.name })
    .from(teamInvitations)
    .leftJoin(users, eq(users.id, teamInvitations.invitedBy))
    .where(and(eq(teamInvitations.teamId, teamId), isOpen))
    .orderBy(desc(teamInvitations.id));
}

/** Revokes an invitation. No row for one of another team, or one that is already revoked. */
export function revokeInvitationRow(db: Db, teamId: string, id: string) {
  return db
    .update(teamInvitations)
    .set({ revokedAt: sql`now()` })
    .where(
      and(eq(teamInvitations.id, id), eq(teamInvitations.teamId, teamId), isNull(teamInvitations.revokedAt)),
    )
    .returning();
}

/**
 * Revokes the invitations of a person who is no longer an administrator of the team, so that the person cannot return
 * by their own link. Returns a query for the batch of the removal or demotion.
 */
export function revokeInvitationsOf(db: Db, { teamId, userId }: { teamId: string; userId: string }) {
  return db
    .update(teamInvitations)
    .set({ revokedAt: sql`now()` })
    .where(
      and(
        eq(teamInvitations.teamId, teamId),
        eq(teamInvitations.invitedBy, userId),
        isNull(teamInvitations.revokedAt),
        sql`NOT EXISTS (
          SELECT 1 FROM team_memberships m
          WHERE m.team_id = ${teamId}::uuid AND m.user_id = ${userId}::uuid AND m.role = 'admin'
        )`,
      ),
    );
}

const rank = (role: SQL) => sql`array_position(ARRAY['viewer', 'editor', 'admin'], ${role})`;

/**
 * Revokes the team's links that grant a higher role than a removed or demoted person now has, because the person may
 * know such a link and could undo the change. Returns a query for the batch of the removal or demotion.
 */
export function revokeLinksAbove(db: Db, { teamId, userId }: { teamId: string; userId: string }) {
  return db
    .update(teamInvitations)
    .set({ revokedAt: sql`now()` })
    .where(
      and(
        eq(teamInvitations.teamId, teamId),
        eq(teamInvitations.kind, "link"),
        isNull(teamInvitations.revokedAt),
        sql`${rank(sql`${teamInvitations.role}`)} > coalesce((
          SELECT ${rank(sql`m.role`)} FROM team_memberships m
          WHERE m.team_id = ${teamId}::uuid AND m.user_id = ${userId}::uuid
        ), 0)`,
      ),
    );
}

/** The invitation of a token, open or not, with the names of team and inviter. */
export function invitationByHash(db: Db, tokenHash: string) {
  return db
    .select({
      invitation: teamInvitations,
      isOpen: sql<boolean>`(${isOpen})`,
      teamName: teams.name,
      inviterName: users.name,
    })
    .from(teamInvitations)
    .innerJoin(teams, eq(teams.id, teamInvitations.teamId))
    .leftJoin(users, eq(users.id, teamInvitations.invitedBy))
    .where(eq(teamInvitations.tokenHash, tokenHash));
}

/**
 * Uses an invitation once and makes its holder a member, in one statement, or does nothing. Concurrent uses run one
 * after another behind the lock on the invitation's row, so no more people join than it allows. A member uses nothing
 * up. The team and the holder are locked first, so that a concurrent deletion of the team or removal of the holder
 * finishes before. `joined` is absent if nothing was done; `standing` is then the current state. Throws the refusal of the
 * ceiling on members.
 */
export async function acceptInvitationRow(
  { db, config }: { db: Db; config: CeilingConfig<"members"> },
  tokenHash: string,
  userId: string,
) {
  const owner = sql`SELECT team_id FROM team_invitations WHERE token_hash = ${tokenHash} AND ${isOpen}`;
  const batch = db.batch([
    ...roomFor(db, config, [{ ceiling: "members", owner, except: sql`user_id = ${userId}::uuid` }]),
    db.execute(sql`
      SELECT t.id FROM teams t JOIN team_invitations i ON i.team_id = t.id
      WHERE i.token_hash = ${tokenHash} FOR KEY SHARE OF t
    `),
    lockPerson(db, userId),
    db.execute<{ id: string; teamId: string; kind: string; role: Role }>(sql`
      WITH invitation AS (
        SELECT team_invitations.* FROM team_invitations JOIN users ON users.id = ${userId}::uuid
        WHERE team_invitations.token_hash = ${tokenHash} AND ${isOpen}
          AND (team_invitations.email IS NULL OR lower(team_invitations.email) = lower(users.email))
        FOR UPDATE OF team_invitations
      ), joined AS (
        INSERT INTO team_memberships (team_id, user_id, role)
        SELECT team_id, ${userId}::uuid, role FROM invitation ON CONFLICT DO NOTHING RETURNING team_id
      )
      UPDATE team_invitations used SET uses = used.uses + 1 FROM invitation, joined
      WHERE used.id = invitation.id
      RETURNING used.id, used.team_id AS "teamId", used.kind, used.role
    `),
    db
      .select({
        isOpen: sql<boolean>`(${isOpen})`,
        isInvited: sql<boolean>`(${teamInvitations.email} IS NULL OR lower(${teamInvitations.email}) = lower(${users.email}))`,
        isMember: sql<boolean>`${teamMemberships.userId} IS NOT NULL`,
      })
      .from(teamInvitations)
      .innerJoin(users, eq(users.id, userId))
      .leftJoin(
        teamMemberships,
        and(eq(teamMemberships.teamId, teamInvitations.teamId), eq(teamMemberships.userId, userId)),
      )
      .where(eq(teamInvitations.tokenHash, tokenHash)),
  ]);
  const [, , , , accepted, [standing]] = await whileThereIsRoom(batch);
  return { joined: accepted.rows[0], standing };
}
