import { count, desc, eq, sql, type SQL } from "drizzle-orm";
import { stripeEvents } from "#src/db/schema/index.ts";
import { insertAdminAction, type AdministratorsDeed } from "#src/domain/access/administrators/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { lockJob, storeJobs } from "#src/work/queries.ts";
import { eventReceived } from "./event-received.ts";

export type StoredEvent = typeof stripeEvents.$inferSelect;
export type EventStatus = StoredEvent["status"];

/**
 * Stores an event, and the job of one that is not handled yet. One that is there stays as it is. Returns the generation of
 * the job; undefined where nothing is to be done, or is being done.
 */
export async function storeEvent(
  db: Db,
  event: { id: string; type: string; objectId: string | null; status: "received" | "ignored" },
): Promise<string | undefined> {
  const [, { rows }] = await db.batch([
    db
      .insert(stripeEvents)
      .values({ ...event, ...(event.status === "ignored" && { settledAt: sql`now()` }) })
      .onConflictDoNothing(),
    storeHandling(db, event.id),
  ]);
  return rows[0]?.generation;
}

/** Stores the job of an event that is not handled yet; it is due at once, if it was to be tried later. */
function storeHandling(db: Db, id: string) {
  const open = sql`FROM stripe_events WHERE id = ${id}::text AND status IN ('received', 'failed')`;
  return db.execute<{ generation: string }>(
    storeJobs(eventReceived, open, { key: sql`id`, payload: { eventId: sql`id` } }),
  );
}

export function eventById(db: Db, id: string) {
  return db.select().from(stripeEvents).where(eq(stripeEvents.id, id));
}

/** Write of an outcome: the event was handled. */
export function eventSettled(id: string, status: "done" | "ignored"): SQL {
  return sql`UPDATE stripe_events SET status = ${status}::text, error = NULL, attempts = stripe_events.attempts + 1,
    settled_at = now() FROM job WHERE id = ${id}::text`;
}

/** Write of an outcome: the event was not handled; `failed` after many attempts. */
export function eventFailed(id: string, status: "received" | "failed", error: string): SQL {
  return sql`UPDATE stripe_events SET status = ${status}::text, error = ${error}::text,
    attempts = stripe_events.attempts + 1, settled_at = CASE WHEN ${status}::text = 'failed' THEN now() END
    FROM job WHERE id = ${id}::text`;
}

/**
 * Opens an event for another attempt: one that failed, is handled or is ignored. Noted in the trail of administrators. Returns
 * the generation of its job, undefined where it is being handled; nothing for an event that is not there.
 */
export async function reopenEvent(
  db: Db,
  id: string,
  by: AdministratorsDeed,
): Promise<{ generation: string | undefined } | undefined> {
  const [, opened, , { rows }] = await db.batch([
    lockJob(eventReceived, db, id),
    db
      .update(stripeEvents)
      .set({ status: "received", settledAt: null })
      .where(eq(stripeEvents.id, id))
      .returning({ id: stripeEvents.id }),
    insertAdminAction(
      db,
      by,
      { action: "payment_event.retried", targetType: "payment_event", targetId: id },
      sql`EXISTS (SELECT 1 FROM stripe_events WHERE id = ${id}::text)`,
    ),
    storeHandling(db, id),
  ]);
  return opened.length > 0 ? { generation: rows[0]?.generation } : undefined;
}

/** A page of events, newest first, and the number of all. */
export async function pageOfEvents(
  db: Db,
  status: EventStatus | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ events: StoredEvent[]; total: number }> {
  const where = status && eq(stripeEvents.status, status);
  const [events, [all]] = await db.batch([
    db
      .select()
      .from(stripeEvents)
      .where(where)
      .orderBy(desc(stripeEvents.createdAt), desc(stripeEvents.id))
      .limit(limit)
      .offset(offset),
    db.select({ total: count() }).from(stripeEvents).where(where),
  ]);
  return { events, total: all?.total ?? 0 };
}
