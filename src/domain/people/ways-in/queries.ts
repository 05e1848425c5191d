import { and, eq, isNull, ne, sql, type SQL } from "drizzle-orm";
import { lockOwnTeam, lockPeople } from "#src/db/locks.ts";
import { mailedTokens, oauthAccounts, users } from "#src/db/schema/index.ts";
import { endGrantsOf } from "#src/domain/programs/connected-apps/index.ts";
import { endPairings } from "#src/domain/programs/desktop/index.ts";
import { endSessionsOfUser } from "#src/domain/access/sessions/index.ts";
import { endLoginAttempts } from "#src/domain/people/two-factor/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/**
 * Ends a person's sessions, and everything that could still become a session, a password or a key without
 * another authentication. The approval of a program's sign-in counts only while the approving session is live, so it ends
 * with that session. This is the one list of them, for every change after which an account belongs to other hands or is
 * disabled. Connected apps end, too, and the sweep ends the tasks that they started. Keys stay; the code that ends keys also ends
 * their tasks.
 *
 * Returns queries for the batch of the change. They follow the statement that decides the change and locks the person;
 * `onlyIf` tests the mark that it left.
 */
export function endWaysIn(db: Db, userId: string, onlyIf: SQL) {
  return [
    endSessionsOfUser(db, userId, { onlyIf }),
    endLoginAttempts(db, userId, onlyIf),
    endResetLinks(db, userId, onlyIf),
    endPairings(db, userId, onlyIf),
    endGrantsOf(db, userId, onlyIf),
  ] as const;
}

function endResetLinks(db: Db, userId: string, onlyIf: SQL) {
  return db
    .update(mailedTokens)
    .set({ usedAt: sql`now()` })
    .where(
      and(
        eq(mailedTokens.userId, userId),
        eq(mailedTokens.purpose, "password_reset"),
        isNull(mailedTokens.usedAt),
        onlyIf,
      ),
    );
}

const ownTeam = (userId: string) =>
  sql`SELECT t.id FROM teams t WHERE t.is_personal AND t.created_by = ${userId}::uuid`;

/** Locks the personal team and all its members, for a batch that contains `shutOthersOut`. */
export function holdAllInOwnTeam(db: Db, userId: string) {
  const everybody = sql`(${users.id} = ${userId}::uuid OR ${users.id} IN (
    SELECT m.user_id FROM team_memberships m WHERE m.team_id IN (${ownTeam(userId)})
  ))`;
  return [lockOwnTeam(db, userId), lockPeople(db, everybody)] as const;
}

/**
 * For a person who has proved an address that the account's creator never proved: the creator may be another person,
 * who registered the address in advance. Ends all access of others: the keys of the account and of its team, links to
 * OAuth accounts except the named one, open invitations, and other people's memberships in the personal team and its
 * projects. For each removed member, their own personal team becomes the default. Ends what works without a sign-in, too
 * (see `endUnattended`).
 *
 * Returns queries for a batch; the first returns the ended keys, whose tasks are to be ended.
 */
export function shutOthersOut(db: Db, userId: string, onlyIf: SQL, exceptOAuthAccountId?: string) {
  return [
    db.execute<{ id: string }>(sql`
      UPDATE external_api_keys SET is_active = false, key_hash = NULL, revoked_at = now()
      WHERE is_active AND (user_id = ${userId}::uuid OR team_id IN (${ownTeam(userId)})) AND ${onlyIf}
      RETURNING id
    `),
    db
      .delete(oauthAccounts)
      .where(
        and(
          eq(oauthAccounts.userId, userId),
          exceptOAuthAccountId === undefined ? undefined : ne(oauthAccounts.id, exceptOAuthAccountId),
          onlyIf,
        ),
      ),
    db.execute(sql`
      UPDATE team_invitations SET revoked_at = now()
      WHERE team_id IN (${ownTeam(userId)}) AND revoked_at IS NULL AND ${onlyIf}
    `),
    db.execute(sql`
      DELETE FROM project_memberships USING projects
      WHERE projects.id = project_memberships.project_id AND projects.team_id IN (${ownTeam(userId)}) AND ${onlyIf}
    `),
    db.execute(sql`
      UPDATE users SET default_team_id = coalesce((${ownTeam(userId)}), default_team_id)
      WHERE id = ${userId}::uuid AND ${onlyIf}
    `),
    db.execute(sql`
      UPDATE users SET default_team_id = own.id FROM team_memberships m, teams own
      WHERE m.team_id IN (${ownTeam(userId)}) AND m.user_id <> ${userId}::uuid AND ${onlyIf}
        AND users.id = m.user_id AND users.default_team_id = m.team_id
        AND own.is_personal AND own.created_by = users.id
    `),
    db.execute(sql`
      DELETE FROM team_memberships
      WHERE team_id IN (${ownTeam(userId)}) AND user_id <> ${userId}::uuid AND ${onlyIf}
    `),
    endUnattended(db, userId, onlyIf),
  ] as const;
}

const HANDED_OVER = "The account was proved to be another person's: resume the schedule if it is yours";

/**
 * Ends what an account's creator left to work on without a sign-in, or to receive what the account writes: channels and links
 * to messaging platforms, schedules, and connections to hosting providers, git hosts, model providers and MCP servers. Ends the creator's
 * authenticator app, too, which would keep the owner out, and the creator's passkeys, which would let the creator in.
 */
function endUnattended(db: Db, userId: string, onlyIf: SQL) {
  const own = sql`user_id = ${userId}::uuid AND ${onlyIf}`;
  return db.execute(sql`
    WITH channels AS (
      UPDATE channel_configs SET is_active = false, ended_because = 'handed_over' WHERE is_active AND ${own}
    ), links AS (
      DELETE FROM platform_identities WHERE ${own}
    ), clocks AS (
      UPDATE schedules SET is_active = false, paused_reason = ${HANDED_OVER}, claimed_until = NULL WHERE is_active AND ${own}
    ), hosting AS (
      DELETE FROM deployment_credentials WHERE ${own}
    ), git AS (
      DELETE FROM git_connections WHERE ${own}
    ), mcp AS (
      DELETE FROM mcp_servers WHERE ${onlyIf} AND (user_id = ${userId}::uuid OR team_id IN (${ownTeam(userId)})
        OR project_id IN (SELECT p.id FROM projects p WHERE p.team_id IN (${ownTeam(userId)})))
    ), apps AS (
      DELETE FROM authenticators WHERE ${own}
    ), keys AS (
      DELETE FROM passkeys WHERE ${own}
    ), models AS (
      UPDATE user_api_keys SET is_active = false WHERE is_active AND ${own}
    )
    UPDATE user_providers SET is_active = false WHERE is_active AND ${own}
  `);
}
