import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { shellSessions } from "#src/db/schema/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type ShellSession = typeof shellSessions.$inferSelect;

/** Statuses of sessions whose program presumably runs; these count against the limits. */
const OPEN = ["initializing", "active", "idle"] as const;

interface NewSession {
  id: string;
  projectId: string;
  userId: string;
  /** Chat whose agent opens the session. */
  chatId: string | null;
  command: string;
  workingDir: string;
}

/** Records a session that is about to be opened. Throws the refusal of the ceilings on its person, project and chat. */
export async function insertSession(
  {
    db,
    config,
  }: { db: Db; config: CeilingConfig<"shells_of_person" | "shells_of_project" | "shells_of_chat"> },
  session: NewSession,
): Promise<ShellSession> {
  const { projectId, userId, chatId } = session;
  const batch = db.batch([
    ...roomFor(db, config, [
      { ceiling: "shells_of_person", owner: userId },
      { ceiling: "shells_of_project", owner: projectId },
      { ceiling: "shells_of_chat", owner: chatId ?? sql`NULL` },
    ]),
    db
      .insert(shellSessions)
      .values({ ...session, status: "initializing" })
      .returning(),
  ]);
  const [, , [inserted]] = await whileThereIsRoom(batch);
  if (!inserted) throw new Error("The shell session was not stored");
  return inserted;
}

export function sessionOf(db: Db, id: string) {
  return db.select().from(shellSessions).where(eq(shellSessions.id, id));
}

/** A person's open sessions, newest first; only those of `projectIds` if given. */
export function openSessionsOf(db: Db, userId: string, projectIds: readonly string[] | undefined) {
  return db
    .select()
    .from(shellSessions)
    .where(
      and(
        eq(shellSessions.userId, userId),
        inArray(shellSessions.status, [...OPEN]),
        projectIds && inArray(shellSessions.projectId, [...projectIds]),
      ),
    )
    .orderBy(desc(shellSessions.id));
}

/** Marks the session's program as running. No row if the session was closed in the meantime. */
export async function activateSession(db: Db, id: string): Promise<ShellSession | undefined> {
  const [row] = await db
    .update(shellSessions)
    .set({ status: "active" })
    .where(and(eq(shellSessions.id, id), eq(shellSessions.status, "initializing")))
    .returning();
  return row;
}

/** Ends the session; the first recorded ending stays. */
export async function endSession(
  db: Db,
  id: string,
  ending: { status: "closed" | "failed"; exitCode: number | null },
): Promise<void> {
  await db
    .update(shellSessions)
    .set({ ...ending, closedAt: sql`now()` })
    .where(and(eq(shellSessions.id, id), inArray(shellSessions.status, [...OPEN])));
}

export async function recordWrite(db: Db, id: string, bytes: number): Promise<void> {
  await db
    .update(shellSessions)
    .set({
      bytesWritten: sql`${shellSessions.bytesWritten} + ${bytes}::bigint`,
      lastActivityAt: sql`now()`,
      // A write makes an idle session active again.
      status: sql`CASE WHEN ${shellSessions.status} = 'idle' THEN 'active' ELSE ${shellSessions.status} END`,
    })
    .where(eq(shellSessions.id, id));
}

/** Moves the position up to which output was read. Returns false if another reader has moved it in the meantime. */
export async function advanceRead(db: Db, id: string, read: { from: number; to: number }): Promise<boolean> {
  const rows = await db
    .update(shellSessions)
    .set({
      readPosition: read.to,
      totalReads: sql`${shellSessions.totalReads} + 1`,
      ...(read.to > read.from && { lastActivityAt: sql`now()` }),
    })
    .where(and(eq(shellSessions.id, id), eq(shellSessions.readPosition, read.from)))
    .returning({ id: shellSessions.id });
  return rows.length > 0;
}

/**
 * Closes sessions that were idle too long, are too old, or whose chat is archived or deleted. Returns each session
 * once.
 */
export async function closeStaleSessions(
  db: Db,
  { idleMinutes, maxHours, limit }: { idleMinutes: number; maxHours: number; limit: number },
): Promise<{ id: string; projectId: string }[]> {
  const stale = sql`${shellSessions.status} IN ('initializing', 'active', 'idle') AND (
    ${shellSessions.lastActivityAt} < now() - make_interval(mins => ${idleMinutes}::int)
    OR ${shellSessions.createdAt} < now() - make_interval(hours => ${maxHours}::int)
    OR (${shellSessions.chatId} IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM chats WHERE chats.id = ${shellSessions.chatId} AND chats.status <> 'archived'
    ))
  )`;
  return db
    .update(shellSessions)
    .set({ status: "closed", closedAt: sql`now()` })
    .where(
      and(
        stale,
        inArray(
          shellSessions.id,
          db.select({ id: shellSessions.id }).from(shellSessions).where(stale).limit(limit),
        ),
      ),
    )
    .returning({ id: shellSessions.id, projectId: shellSessions.projectId });
}
