import { and, count, desc, eq, gt, lt, or, sql } from "drizzle-orm";
import { stripeEvents } from "#src/db/schema/index.ts";
import { insertAdminAction, type AdministratorsDeed } from "#src/domain/operations/administrators/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type StoredEvent = typeof stripeEvents.$inferSelect;
export type EventStatus = StoredEvent["status"];

/** Stores an event. One that is there stays as it is. Returns its status. */
export async function storeEvent(
  db: Db,
  event: { id: string; type: string; objectId: string | null; status: "received" | "ignored" },
): Promise<EventStatus> {
  const [stored] = await db
    .insert(stripeEvents)
    .values({ ...event, ...(event.status === "ignored" && { settledAt: sql`now()` }) })
    // Changes nothing, and returns the row.
    .onConflictDoUpdate({ target: stripeEvents.id, set: { type: sql`${stripeEvents.type}` } })
    .returning({ status: stripeEvents.status });
  return stored?.status ?? event.status;
}

export function eventById(db: Db, id: string) {
  return db.select().from(stripeEvents).where(eq(stripeEvents.id, id));
}

/** Notes that an event was handled. */
export async function settleEvent(db: Db, id: string, status: "done" | "ignored"): Promise<void> {
  await db
    .update(stripeEvents)
    .set({ status, error: null, attempts: sql`${stripeEvents.attempts} + 1`, settledAt: sql`now()` })
    .where(eq(stripeEvents.id, id));
}

/** Counts an attempt that failed. The last one fails the event. Returns how many there were. */
export async function noteFailure(
  db: Db,
  id: string,
  { error, isLast }: { error: string; isLast: boolean },
): Promise<number> {
  const [noted] = await db
    .update(stripeEvents)
    .set({
      error,
      attempts: sql`${stripeEvents.attempts} + 1`,
      ...(isLast && { status: "failed", settledAt: sql`now()` }),
    })
    .where(eq(stripeEvents.id, id))
    .returning({ attempts: stripeEvents.attempts });
  return noted?.attempts ?? 0;
}

/** Opens an event for another attempt: one that failed, is handled or is ignored. Noted in the trail of administrators. */
export async function reopenEvent(db: Db, id: string, by: AdministratorsDeed) {
  const [[event]] = await db.batch([
    db
      .update(stripeEvents)
      .set({ status: "received", settledAt: null })
      .where(eq(stripeEvents.id, id))
      .returning({ id: stripeEvents.id, attempts: stripeEvents.attempts }),
    insertAdminAction(
      db,
      by,
      { action: "payment_event.retried", targetType: "payment_event", targetId: id },
      sql`EXISTS (SELECT 1 FROM stripe_events WHERE id = ${id}::text)`,
    ),
  ]);
  return event;
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

/** Opens events again that failed within these days, and returns them with those that nothing works on. */
export async function reopenFailed(db: Db, { days, limit }: { days: number; limit: number }) {
  const overdue = sql`now() - interval '10 minutes'`;
  const open = db
    .select({ id: stripeEvents.id })
    .from(stripeEvents)
    .where(
      or(
        and(
          // Constants, because most events are done: a plan for any status would read them all.
          sql`${stripeEvents.status} = 'failed'`,
          gt(stripeEvents.createdAt, sql`now() - make_interval(days => ${days})`),
        ),
        and(sql`${stripeEvents.status} = 'received'`, lt(stripeEvents.createdAt, overdue)),
      ),
    )
    .orderBy(stripeEvents.createdAt)
    .limit(limit);
  return db
    .update(stripeEvents)
    .set({ status: "received", settledAt: null })
    .where(sql`${stripeEvents.id} IN ${open}`)
    .returning({ id: stripeEvents.id, attempts: stripeEvents.attempts });
}
