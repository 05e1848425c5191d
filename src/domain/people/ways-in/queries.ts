import { and, eq, isNull, ne, sql, type SQL } from "drizzle-orm";
import { lockOwnTeam, lockPeople } from "#src/db/locks.ts";
import { mailedTokens, oauthAccounts, users } from "#src/db/schema/index.ts";
import { endPairings } from "#src/domain/people/desktop/index.ts";
import { endSessionsOfUser } from "#src/domain/people/sessions/index.ts";
import { endLoginAttempts } from "#src/domain/people/two-factor/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/**
 * End what a person is signed in by, and whatever could still become a session, a password or a key without anybody being
 * asked again: the one list of it, for every change after which an account is in other hands, or in none. Keys go on: what
 * ends them is told to their tasks.
 *
 * Queries for the batch of the change. They come after what decides it, which holds the person by then; `onlyIf` asks for
 * the mark that it left.
 */
export function endWaysIn(db: Db, userId: string, onlyIf: SQL) {
  return [
    endSessionsOfUser(db, userId, { onlyIf }),
    endLoginAttempts(db, userId, onlyIf),
    endResetLinks(db, userId, onlyIf),
    endPairings(db, userId, onlyIf),
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

/** Hold the personal team and everybody in it, for a batch in which `shutOthersOut` follows. */
export function holdAllInOwnTeam(db: Db, userId: string) {
  const everybody = sql`(${users.id} = ${userId}::uuid OR ${users.id} IN (
    SELECT m.user_id FROM team_memberships m WHERE m.team_id IN (${ownTeam(userId)})
  ))`;
  return [lockOwnTeam(db, userId), lockPeople(db, everybody)] as const;
}

/**
 * A person has proved an address that the account's maker never did: the maker may be another person, who waits for the owner
 * of the address to come. Whatever lets others in ends: the keys of the account and of its team, links to OAuth accounts but
 * for the one named, open invitations, and everybody else's part in the personal team, whose own one then is their default.
 *
 * Queries for a batch; the first answers the keys that are over, whose tasks are to end.
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
  ] as const;
}
