import { eq, sql } from "drizzle-orm";
import { shareOwnTeam } from "#src/db/locks.ts";
import { deviceSignIns } from "#src/db/schema/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";

interface NewSignIn {
  id: string;
  deviceCodeHash: string;
  userCodeHash: string;
  clientName: string;
  ipAddress: string;
  network: string;
  intervalSeconds: number;
  lifeSeconds: number;
}

/**
 * Stores a sign-in. Returns false for a user code that another sign-in has. Throws the refusal of the ceiling on open ones of
 * a network.
 */
export async function insertDeviceSignIn(
  { db, config }: { db: Db; config: CeilingConfig<"device_sign_ins"> },
  { lifeSeconds, ...signIn }: NewSignIn,
): Promise<boolean> {
  const [, , stored] = await whileThereIsRoom(
    db.batch([
      ...roomFor(db, config, [{ ceiling: "device_sign_ins", owner: signIn.network }]),
      db
        .insert(deviceSignIns)
        .values({ ...signIn, expiresAt: sql`now() + make_interval(secs => ${lifeSeconds})` })
        .onConflictDoNothing({ target: deviceSignIns.userCodeHash })
        .returning({ id: deviceSignIns.id }),
    ]),
  );
  return stored.length > 0;
}

const ENTERED = {
  id: deviceSignIns.id,
  clientName: deviceSignIns.clientName,
  ipAddress: deviceSignIns.ipAddress,
  createdAt: deviceSignIns.createdAt,
  expiresAt: deviceSignIns.expiresAt,
  decided: sql<boolean>`${deviceSignIns.decision} IS NOT NULL`,
  expired: sql<boolean>`${deviceSignIns.expiresAt} <= now()`,
};

/** A sign-in as its user code finds it. */
export type EnteredSignIn = Awaited<ReturnType<typeof deviceSignInByUserCode>>[number];

export function deviceSignInByUserCode(db: Db, userCodeHash: string) {
  return db.select(ENTERED).from(deviceSignIns).where(eq(deviceSignIns.userCodeHash, userCodeHash));
}

export function deviceSignInById(db: Db, id: string) {
  return db.select(ENTERED).from(deviceSignIns).where(eq(deviceSignIns.id, id));
}

/**
 * Decides an open sign-in, and records it in the audit log. Of concurrent calls, only one returns true. Locks the team
 * first, in the order of `locks.ts`.
 */
export async function decideSignIn(
  db: Db,
  { id, decision, sessionId }: { id: string; decision: "approve" | "deny"; sessionId: string },
  note: AuditEntry & { userId: string },
): Promise<boolean> {
  const isUndecided = sql`id = ${id}::uuid AND decision IS NULL AND expires_at > now()`;
  const [, , , decided] = await db.batch([
    shareOwnTeam(db, note.userId),
    db.execute(sql`SELECT id FROM device_sign_ins WHERE ${isUndecided} FOR NO KEY UPDATE`),
    insertAuditEntry(db, note, sql`EXISTS (SELECT 1 FROM device_sign_ins WHERE ${isUndecided})`),
    db.execute(sql`
      UPDATE device_sign_ins SET decision = ${decision}, decided_at = now(), decided_by_session_id = ${sessionId}::uuid
      WHERE ${isUndecided}
      RETURNING id
    `),
  ]);
  return decided.rows.length > 0;
}

/** What a poll found. Only `approved` uses the sign-in up. */
export type PollState =
  | "invalid_grant"
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"
  | "approved";

type Polled =
  | { state: Exclude<PollState, "approved"> }
  | {
      state: "approved";
      /** With the session in which a person approved it. */
      program: { name: string; approvedBy: string };
      user: { id: string; isSuperuser: boolean; passwordHash: string | null };
    };

/**
 * Notes a poll and, if the sign-in is approved, uses it up, in one statement: of concurrent polls, only one finds it
 * approved. A poll before the interval has passed lengthens the interval by five seconds. An approval counts only while
 * the session that approved is live and its person active.
 */
export async function pollSignIn(db: Db, deviceCodeHash: string): Promise<Polled> {
  const { rows } = await db.execute<{
    state: PollState;
    client_name: string;
    approved_by: string | null;
    user_id: string | null;
    is_superuser: boolean | null;
    password_hash: string | null;
  }>(sql`
    WITH asked AS (
      SELECT * FROM device_sign_ins WHERE device_code_hash = ${deviceCodeHash} FOR UPDATE
    ), approver AS (
      SELECT u.* FROM asked, sessions s, users u
      WHERE s.id = asked.decided_by_session_id AND s.ended_at IS NULL AND s.expires_at > now()
        AND u.id = s.user_id AND u.is_active
    ), judged AS (
      SELECT asked.id, asked.client_name, asked.decided_by_session_id, CASE
        WHEN used_at IS NOT NULL THEN 'invalid_grant'
        WHEN expires_at <= now() THEN 'expired_token'
        WHEN now() < polled_at + make_interval(secs => interval_seconds) THEN 'slow_down'
        WHEN decision IS NULL THEN 'authorization_pending'
        WHEN decision = 'approve' AND EXISTS (SELECT 1 FROM approver) THEN 'approved'
        ELSE 'access_denied'
      END AS state
      FROM asked
    ), noted AS (
      UPDATE device_sign_ins d SET
        polled_at = now(),
        interval_seconds = d.interval_seconds + CASE judged.state WHEN 'slow_down' THEN 5 ELSE 0 END,
        used_at = CASE judged.state WHEN 'approved' THEN now() ELSE d.used_at END
      FROM judged WHERE d.id = judged.id
    )
    SELECT judged.state, judged.client_name, judged.decided_by_session_id AS approved_by, a.id AS user_id, a.is_superuser, a.password_hash
    FROM judged LEFT JOIN approver a ON judged.state = 'approved'
  `);
  const [row] = rows;
  if (!row) return { state: "invalid_grant" };
  if (row.state !== "approved") return { state: row.state };
  const { user_id: id, approved_by: approvedBy } = row;
  if (id === null || approvedBy === null) throw new Error("An approved sign-in has no approver");
  return {
    state: "approved",
    program: { name: row.client_name, approvedBy },
    user: { id, isSuperuser: row.is_superuser === true, passwordHash: row.password_hash },
  };
}
