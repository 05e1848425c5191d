import { and, desc, eq, gt, isNull, ne, sql, type SQL } from "drizzle-orm";
import { lockPerson, shareOwnTeam } from "#src/db/locks.ts";
import { refreshRecords, sessions, users } from "#src/db/schema/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Client } from "#src/lib/client.ts";

export interface NewRefreshRecord {
  id: string;
  tokenHash: string;
  expiresAt: Date;
}

/**
 * Stores a session with its first refresh token, and records it as activity of the user and in the audit log. Returns
 * false and writes nothing for an inactive user, a changed password, or a program whose approving session has ended. Locks the
 * user, so a concurrent change finishes first, and a later change finds the session. The team is locked first, in the order of
 * `locks.ts`.
 */
export async function insertSession(
  db: Db,
  session: {
    id: string;
    userId: string;
    passwordHash?: string | null | undefined;
    program?: { name: string; approvedBy: string } | undefined;
    client: Client;
    method: string;
  },
  refresh: NewRefreshRecord,
): Promise<boolean> {
  const { id, userId, passwordHash, program, client, method } = session;
  const expiresAt = sql`${refresh.expiresAt.toISOString()}::timestamptz`;
  const isUnchanged =
    passwordHash === undefined ? sql`TRUE` : sql`password_hash IS NOT DISTINCT FROM ${passwordHash}::text`;
  const isApproved = program
    ? sql`EXISTS (SELECT FROM sessions s WHERE s.id = ${program.approvedBy}::uuid AND s.ended_at IS NULL AND s.expires_at > now())`
    : sql`TRUE`;
  const [, , opened] = await db.batch([
    shareOwnTeam(db, userId),
    // What follows finds sessions as they are under this lock.
    lockPerson(db, userId),
    db.execute(sql`
      WITH holder AS (
        UPDATE users SET last_active_at = now()
        WHERE id = ${userId}::uuid AND is_active AND ${isUnchanged} AND ${isApproved}
        RETURNING id
      ), opened AS (
        INSERT INTO sessions (id, user_id, user_agent, ip_address, client_name, expires_at)
        SELECT ${id}::uuid, id, ${client.userAgent}, ${client.address}, ${program?.name ?? null}::text, ${expiresAt} FROM holder
        RETURNING id
      )
      INSERT INTO refresh_records (id, session_id, token_hash, expires_at)
      SELECT ${refresh.id}::uuid, id, ${refresh.tokenHash}, ${expiresAt} FROM opened
      RETURNING session_id
    `),
    insertAuditEntry(
      db,
      {
        userId,
        action: "session.started",
        resourceType: "session",
        resourceId: id,
        details: { method },
        client,
      },
      sql`EXISTS (SELECT 1 FROM sessions s WHERE s.id = ${id}::uuid)`,
    ),
  ]);
  return opened.rows.length > 0;
}

interface Holder {
  userId: string;
  sessionId: string;
  isSuperuser: boolean;
}

/**
 * Uses up a token and stores its successor, in one statement: of concurrent calls with one token, only one gets a row.
 */
export async function rotateRefreshRecord(
  db: Db,
  tokenHash: string,
  next: NewRefreshRecord,
  client: Client,
): Promise<Holder | undefined> {
  const expiresAt = sql`${next.expiresAt.toISOString()}::timestamptz`;
  const result = await db.execute<{ user_id: string; session_id: string; is_superuser: boolean }>(sql`
    WITH consumed AS (
      UPDATE refresh_records r SET used_at = now() FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE r.token_hash = ${tokenHash} AND r.used_at IS NULL AND r.expires_at > now()
        AND s.id = r.session_id AND s.ended_at IS NULL AND u.is_active
      RETURNING r.session_id, s.user_id, u.is_superuser
    ), successor AS (
      INSERT INTO refresh_records (id, session_id, token_hash, expires_at)
      SELECT ${next.id}::uuid, session_id, ${next.tokenHash}, ${expiresAt} FROM consumed
    ), touched AS (
      UPDATE sessions s SET last_used_at = now(), expires_at = ${expiresAt},
        user_agent = ${client.userAgent}, ip_address = ${client.address}
      FROM consumed WHERE s.id = consumed.session_id
    )
    SELECT user_id, session_id, is_superuser FROM consumed
  `);
  const [row] = result.rows;
  return row && { userId: row.user_id, sessionId: row.session_id, isSuperuser: row.is_superuser };
}

export function refreshRecordByHash(db: Db, tokenHash: string, graceSeconds: number) {
  return db
    .select({
      userId: sessions.userId,
      sessionId: sessions.id,
      isSuperuser: users.isSuperuser,
      isActive: users.isActive,
      used: sql<boolean>`${refreshRecords.usedAt} IS NOT NULL`,
      inGrace: sql<boolean>`coalesce(${refreshRecords.usedAt} > now() - make_interval(secs => ${graceSeconds}), false)`,
      ended: sql<boolean>`${sessions.endedAt} IS NOT NULL`,
      expired: sql<boolean>`${refreshRecords.expiresAt} <= now()`,
    })
    .from(refreshRecords)
    .innerJoin(sessions, eq(sessions.id, refreshRecords.sessionId))
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(refreshRecords.tokenHash, tokenHash));
}

const ended = { endedAt: sql`now()` };

/**
 * Ends a session whose refresh token was used twice and may therefore be stolen. Of concurrent calls, only the first
 * ends the session and writes the entry.
 */
export async function endReusedSession(db: Db, { userId, sessionId }: Holder, client: Client): Promise<void> {
  const isLive = and(eq(sessions.id, sessionId), isNull(sessions.endedAt));
  await db.batch([
    shareOwnTeam(db, userId),
    db.select({ id: sessions.id }).from(sessions).where(isLive).for("no key update"),
    insertAuditEntry(
      db,
      {
        userId,
        action: "session.refresh_reused",
        resourceType: "session",
        resourceId: sessionId,
        client,
      },
      sql`EXISTS (SELECT 1 FROM sessions s WHERE s.id = ${sessionId}::uuid AND s.ended_at IS NULL)`,
    ),
    db.update(sessions).set(ended).where(isLive),
  ]);
}

/**
 * Ends all sessions of the holder of a live session or refresh token, except those that began after `askedAt`. The two
 * may belong to different people: returns how many ended, by user id.
 */
export async function endSessionsWith(
  db: Db,
  presented: { sessionId: string | null; tokenHash: string | null; askedAt: Date },
): Promise<Map<string, number>> {
  const result = await db.execute<{ user_id: string }>(sql`
    WITH presented AS (
      SELECT id, user_id FROM sessions
      WHERE ended_at IS NULL AND (id = ${presented.sessionId}::uuid
        OR id = (SELECT session_id FROM refresh_records
          WHERE token_hash = ${presented.tokenHash}::text AND used_at IS NULL AND expires_at > now()))
    )
    UPDATE sessions s SET ended_at = now() FROM presented
    WHERE s.user_id = presented.user_id AND s.ended_at IS NULL
      AND (s.id = presented.id OR s.created_at <= ${presented.askedAt.toISOString()}::timestamptz)
    RETURNING s.user_id
  `);
  const counts = new Map<string, number>();
  for (const { user_id: userId } of result.rows) counts.set(userId, (counts.get(userId) ?? 0) + 1);
  return counts;
}

/** Ends every session of a user, except the named one. Returns a query for a batch, as in `endWaysIn`. */
export function endSessionsOfUser(
  db: Db,
  userId: string,
  { exceptId, onlyIf }: { exceptId?: string; onlyIf?: SQL } = {},
) {
  return db
    .update(sessions)
    .set(ended)
    .where(
      and(
        eq(sessions.userId, userId),
        isNull(sessions.endedAt),
        exceptId === undefined ? undefined : ne(sessions.id, exceptId),
        onlyIf,
      ),
    )
    .returning({ id: sessions.id });
}

/**
 * Ends every session of a person except the named one. The person is locked first, so that what such a session is just giving
 * to a program either comes before, and can be found, or finds the session ended.
 */
export async function endSessionsExcept(
  db: Db,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<{ id: string }[]> {
  const [, rows] = await db.batch([
    lockPerson(db, userId),
    endSessionsOfUser(db, userId, { exceptId: sessionId }),
  ]);
  return rows;
}

export function endSessionRow(db: Db, userId: string, sessionId: string) {
  return db
    .update(sessions)
    .set(ended)
    .where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId), isNull(sessions.endedAt)))
    .returning({ id: sessions.id });
}

/**
 * Whether the session began with a proof of identity within the last `minutes`, by the database's clock. A session that
 * another session approved for a program never did: the approving session may be old, and stolen.
 */
export async function sessionBeganWithin(db: Db, sessionId: string, minutes: number): Promise<boolean> {
  const rows = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(
        eq(sessions.id, sessionId),
        isNull(sessions.endedAt),
        isNull(sessions.clientName),
        sql`${sessions.createdAt} > now() - make_interval(mins => ${minutes}::integer)`,
      ),
    );
  return rows.length > 0;
}

/** Live sessions, the most recently used first. */
export function liveSessions(db: Db, userId: string) {
  return db
    .select({
      id: sessions.id,
      userAgent: sessions.userAgent,
      ipAddress: sessions.ipAddress,
      clientName: sessions.clientName,
      createdAt: sessions.createdAt,
      lastUsedAt: sessions.lastUsedAt,
      expiresAt: sessions.expiresAt,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), isNull(sessions.endedAt), gt(sessions.expiresAt, sql`now()`)))
    .orderBy(desc(sessions.lastUsedAt), desc(sessions.id));
}
