import { sql } from "drizzle-orm";
import { expect, inject, it } from "vitest";
import { subscriptions, teams, transactions } from "#src/db/schema/index.ts";
import { reviewCharge, reviewDispute, sweepReversals } from "#src/domain/billing/reversals/index.ts";
import {
  bookInvoice,
  sweepSubscriptions,
  syncSubscription,
} from "#src/domain/billing/subscriptions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { type Random, seeded } from "#test/support/random.ts";
import { IS_SOAK } from "#test/support/soak.ts";
import { buyCredits, keepPayer, newPayer, subscribeAt } from "./support/payer.ts";
import { withPayer } from "./support/with-payer.ts";

/** Histories, each with a customer of its own. More in a long run, `FUZZ_RUNS=300`. */
const HISTORIES = IS_SOAK ? 24 : 2;
const STEPS = 9;
const PACKS = [2_500, 500];
/** Of the packs, before anything goes back. */
const SPENT = 1_000;

const world = await withPayer();
const { db, deps } = world;

/** Handles an event as the service does: by its object alone. */
async function hear(objectId: string): Promise<void> {
  if (objectId.startsWith("sub_")) await syncSubscription(deps(), objectId);
  if (objectId.startsWith("in_")) await bookInvoice(deps(), objectId);
  if (objectId.startsWith("ch_")) await reviewCharge(deps(), objectId);
  if (objectId.startsWith("du_")) await reviewDispute(deps(), objectId);
}

/** As `hear`; returns whether it has to be heard again, because what it is about is not booked yet. */
async function hearOrFail(objectId: string): Promise<boolean> {
  try {
    await hear(objectId);
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_ready") return true;
    throw error;
  }
}

/** One sweep, a day later, with the events that failed before. */
async function sweep(failed: readonly string[]): Promise<void> {
  await db.update(subscriptions).set({ observedAt: sql`${subscriptions.observedAt} - interval '2 days'` });
  await db.update(transactions).set({ observedAt: sql`${transactions.observedAt} - interval '2 days'` });
  await sweepSubscriptions(deps());
  for (const objectId of failed) await hearOrFail(objectId);
  await sweepReversals(deps());
}

interface Known {
  subscription: string;
  customer: string;
}

type StandinObject = { id: string; charge?: string; status?: string; disputed?: boolean; amount?: number };

/** Something that a payer, a bank or time does. What is not possible at the time is refused, and changes nothing. */
async function step(random: Random, { subscription, customer }: Known): Promise<void> {
  const charges = await world.stripe.list<StandinObject>("objects/charge");
  const charge = charges[random.whole(0, charges.length - 1)];
  const disputes = await world.stripe.list<StandinObject>("objects/dispute");
  const open = disputes.find(({ status }) => status === "needs_response");
  const acts = [
    () => world.stripe.control(`subscriptions/${subscription}/advance`),
    () => world.stripe.control(`subscriptions/${subscription}/advance`),
    () =>
      world.stripe.control(`customers/${customer}/card`, { card: random.chance(0.3) ? "fails" : "works" }),
    () =>
      world.stripe.control(`charges/${charge?.id}/refund`, { amount: random.whole(1, charge?.amount ?? 1) }),
    () => world.stripe.control(`charges/${charge?.id}/refund`),
    () => world.stripe.control(`charges/${charge?.id}/dispute`),
    () =>
      open &&
      world.stripe.control(`disputes/${open.id}/close`, { outcome: random.chance(0.6) ? "won" : "lost" }),
    // Only upwards: after a change downwards, the bundled credits are those of the highest tier that was heard of.
    () => world.changePrice(subscription, "price_pro"),
    () =>
      random.chance(0.3) &&
      world.payments.changeSubscription(subscription, { cancelAtPeriodEnd: true }, crypto.randomUUID()),
  ];
  await Promise.resolve(acts[random.whole(0, acts.length - 1)]?.()).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
  });
}

/** Objects of the events since the last call, oldest first. */
function newEvents() {
  const seen = new Set<string>();
  return async (): Promise<string[]> => {
    const events = await world.stripe.list<{ id: string; object: string }>("events");
    const fresh = events.toReversed().filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    return fresh.map(({ object }) => object);
  };
}

/** What of a history must not depend on the order in which it was heard of. */
async function outcome() {
  const [team] = await db
    .select({
      tier: teams.subscriptionTier,
      bundled: teams.bundledCredits,
      purchased: teams.purchasedCredits,
      slots: teams.deploySlots,
    })
    .from(teams);
  const { status, priceId, periodStart, cancelAt } = subscriptions;
  const states = await db.select({ status, priceId, periodStart, cancelAt }).from(subscriptions);
  return { team, states, booked: await db.select().from(transactions) };
}

async function heardOnTime(known: Known, random: Random): Promise<string[]> {
  const events: string[] = [];
  const next = newEvents();
  for (let nth = 0; nth < STEPS; nth += 1) {
    await step(random, known);
    const fresh = await next();
    const failed: string[] = [];
    for (const objectId of fresh) if (await hearOrFail(objectId)) failed.push(objectId);
    for (const objectId of failed) await hearOrFail(objectId);
    events.push(...fresh);
  }
  return events;
}

/** The events shuffled, some twice, some never. */
function garbled(random: Random, events: readonly string[]): string[] {
  return events
    .flatMap((each) => [[], [each], [each, each]][random.whole(0, 2)] ?? [])
    .map((each) => ({ each, place: random.between(0, 1) }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ each }) => each);
}

async function emptied(): Promise<void> {
  await db.execute(
    sql`TRUNCATE users, teams, checkouts, subscriptions, transactions, payouts, disputes CASCADE`,
  );
}

it.each(Array.from({ length: HISTORIES }, (_, nth) => nth))(
  "history %d ends the same however its events come, after one sweep",
  async (nth) => {
    await emptied();
    const random = seeded(inject("fuzzSeed") + nth);
    const payer = await newPayer(db, world.payments);
    for (const credits of PACKS) await buyCredits(deps(), payer, credits);
    await db.update(teams).set({ purchasedCredits: sql`${teams.purchasedCredits} - ${SPENT}` });
    const subscription = await subscribeAt(deps(), payer, "price_basic");
    await hear(subscription);
    const restore = await keepPayer(db, payer);

    const events = await heardOnTime({ subscription, customer: payer.customerId }, random);
    await sweep([]);
    const expected = await outcome();

    // The same history once more, of which the service hears only now.
    await emptied();
    await restore();
    const failed: string[] = [];
    for (const objectId of garbled(random, events)) {
      if (await hearOrFail(objectId)) failed.push(objectId);
    }
    await sweep(failed);
    const found = await outcome();

    expect(found.states).toEqual(expected.states);
    const isOverdue = expected.states.some(({ status }) => status === "past_due");
    const comparable = (team: typeof found.team) => (isOverdue ? { ...team, bundled: 0 } : team);
    expect(comparable(found.team)).toEqual(comparable(expected.team));
    for (const { team, booked } of [expected, found]) {
      const credits = booked.reduce((sum, each) => sum + each.credits, 0);
      expect(team?.purchased).toBe(credits - SPENT);
      for (const pool of [team?.purchased, team?.bundled, team?.slots])
        expect(pool).toBeGreaterThanOrEqual(0);
      for (const each of booked) {
        expect(each.reversedCents).toBeLessThanOrEqual(Math.max(0, each.amountCents));
        expect(each.reversedCredits).toBeLessThanOrEqual(Math.max(0, each.credits));
      }
    }
  },
);
