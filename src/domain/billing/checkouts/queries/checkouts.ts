import { and, desc, eq, gt, inArray, isNull, lt, notInArray, sql } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import { checkouts, type CheckoutTerms } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Checkout, CheckoutInput } from "../checkout.ts";

/**
 * Returns the checkout of an input: an unsettled one of the same input that is younger than `minutes` and not `over`, else a new
 * one. Requests of a team come one after another, so that many at once share a checkout. `undefined` for a deleted team,
 * or one that is no customer.
 */
export async function claimCheckout(
  db: Db,
  input: CheckoutInput,
  { over, minutes }: { over: readonly string[] | "all"; minutes: number },
): Promise<Checkout | undefined> {
  const id = newId();
  const priceId = input.priceId ?? null;
  const same = and(
    eq(checkouts.teamId, input.teamId),
    eq(checkouts.type, input.type),
    eq(checkouts.item, input.item),
    eq(checkouts.amountCents, input.amountCents),
    eq(checkouts.currency, input.currency),
    sql`${checkouts.priceId} IS NOT DISTINCT FROM ${priceId}::text`,
    sql`${checkouts.terms}->>'interval' IS NOT DISTINCT FROM ${input.interval ?? null}::text`,
    eq(checkouts.credits, input.credits ?? 0),
    inArray(checkouts.status, ["open", "pending"]),
    gt(checkouts.createdAt, sql`now() - make_interval(mins => ${minutes}::int)`),
    over === "all" ? sql`false` : notInArray(checkouts.id, [id, ...over]),
  );
  const found = db
    .select({ one: sql`1` })
    .from(checkouts)
    .where(same);
  const [, , [checkout]] = await db.batch([
    lockNames(db, [`checkout-${input.teamId}`]),
    db.execute(sql`
      INSERT INTO checkouts (id, team_id, user_id, type, item, customer_id, amount_cents, currency, price_id, credits,
        return_origin, terms)
      SELECT ${id}::uuid, t.id, ${input.userId}::uuid, ${input.type}::text, ${input.item}::text, t.stripe_customer_id,
        ${input.amountCents}::int, ${input.currency}::text, ${priceId}::text, ${input.credits ?? 0}::int,
        ${input.returnOrigin}::text, ${JSON.stringify(termsOf(id, input))}::jsonb
      FROM teams t
      WHERE t.id = ${input.teamId}::uuid AND t.stripe_customer_id IS NOT NULL AND NOT EXISTS ${found}
      FOR KEY SHARE OF t
    `),
    db
      .select()
      .from(checkouts)
      .where(sql`${checkouts.id} = ${id}::uuid OR (${same})`)
      .orderBy(desc(checkouts.createdAt), desc(checkouts.id))
      .limit(1),
  ]);
  return checkout;
}

function termsOf(id: string, { teamId, userId, type, ...input }: CheckoutInput): CheckoutTerms {
  return {
    name: input.name,
    ...(input.interval && { interval: input.interval }),
    metadata: { ...input.metadata, checkout_id: id, team_id: teamId, user_id: userId, type },
    successPath: input.paths.success,
    cancelPath: input.paths.cancel,
  };
}

/** Stores the session of a checkout that has none. */
export async function storeSession(
  db: Db,
  id: string,
  session: { id: string; url: string | undefined },
): Promise<void> {
  await db
    .update(checkouts)
    .set({
      sessionId: session.id,
      sessionUrl: session.url ?? null,
      status: "pending",
      error: null,
      settledAt: null,
    })
    .where(
      and(eq(checkouts.id, id), isNull(checkouts.sessionId), inArray(checkouts.status, ["open", "failed"])),
    );
}

/** Ends a checkout of which nothing is paid; a settled one stays as it is. */
export async function endCheckout(
  db: Db,
  id: string,
  end: { status: "failed" | "expired"; error: string | null },
): Promise<void> {
  await db
    .update(checkouts)
    .set({ ...end, settledAt: sql`now()` })
    .where(and(eq(checkouts.id, id), inArray(checkouts.status, ["open", "pending"])));
}

/** As `endCheckout`, unless a session was stored meanwhile. */
export async function failWithoutSession(db: Db, id: string, error: string): Promise<void> {
  await db
    .update(checkouts)
    .set({ status: "failed", error, settledAt: sql`now()` })
    .where(and(eq(checkouts.id, id), eq(checkouts.status, "open"), isNull(checkouts.sessionId)));
}

export function checkoutBySession(db: Db, sessionId: string) {
  return db.select().from(checkouts).where(eq(checkouts.sessionId, sessionId));
}

export function checkoutById(db: Db, id: string) {
  return db.select().from(checkouts).where(eq(checkouts.id, id));
}

/** Unsettled checkouts that are older than this. In no order, so that none that stays unsettled keeps others waiting. */
export function unsettledCheckouts(db: Db, { minutes, limit }: { minutes: number; limit: number }) {
  return db
    .select()
    .from(checkouts)
    .where(
      and(
        // Constants, as the condition of the index has them: a plan for any parameters could not use it.
        sql`${checkouts.status} IN ('open', 'pending')`,
        lt(checkouts.createdAt, sql`now() - make_interval(mins => ${minutes})`),
      ),
    )
    .orderBy(sql`random()`)
    .limit(limit);
}
