import { eq, sql } from "drizzle-orm";
import { Stripe } from "stripe";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { adminActions, checkouts, jobs, stripeEvents } from "#src/db/schema/index.ts";
import {
  handleEvent,
  pageOfEvents,
  receiveEvent,
  retryEvent,
} from "#src/domain/billing/payment-events/index.ts";
import { sweepCheckouts } from "#src/domain/billing/checkouts/index.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { PaymentsWorld } from "../support/payments-world.ts";

const world = await PaymentsWorld.open();
beforeEach(async () => {
  await world.control("faults", { faults: [] });
  await world.db.delete(stripeEvents);
  await world.db.delete(jobs);
  world.published.length = 0;
});

interface Delivery {
  body: Uint8Array;
  signature: string | null;
}

interface Signing {
  type?: string;
  secret?: string;
  livemode?: boolean;
}

/** A delivery as the provider sends it. */
async function delivery(id: string, signing: Signing = {}): Promise<Delivery> {
  const { type = "checkout.session.completed", livemode = false } = signing;
  const data = { object: { id: "cs_test_none", object: "checkout.session", customer_email: "canary" } };
  const payload = JSON.stringify({ id, object: "event", type, created: 1_700_000_000, livemode, data });
  const secret = signing.secret ?? world.account.server.webhookSecret;
  const signature = await Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret });
  return { body: new TextEncoder().encode(payload), signature };
}

const receive = (sent: Delivery, deps = world.deps()) => receiveEvent(deps, sent);
const stored = (id: string) => world.db.select().from(stripeEvents).where(eq(stripeEvents.id, id));
const publishedOf = (id: string) => world.published.filter(({ payload }) => fieldsOf(payload)["key"] === id);

describe("an event", () => {
  it("is stored without its content, and published", async () => {
    await receive(await delivery("evt_one"));
    const [row] = await stored("evt_one");
    expect(row).toMatchObject({
      type: "checkout.session.completed",
      objectId: "cs_test_none",
      status: "received",
    });
    expect(JSON.stringify([row, publishedOf("evt_one")])).not.toContain("canary");
    expect(publishedOf("evt_one")).toMatchObject([{ function: "handle-stripe-event" }]);
  });

  it("is refused and not stored when another secret signed it", async () => {
    const forged = receive(await delivery("evt_forged", { secret: "whsec_another" }));
    await expect(forged).rejects.toMatchObject({ code: "unauthenticated" });
    expect([await stored("evt_forged"), publishedOf("evt_forged")]).toEqual([[], []]);
  });

  it("that comes again is acknowledged, and published again only until it is handled", async () => {
    for (let time = 0; time < 3; time += 1) await receive(await delivery("evt_two"));
    expect(await stored("evt_two")).toHaveLength(1);
    expect(publishedOf("evt_two")).toHaveLength(3);
    await world.handle("evt_two");
    expect(await stored("evt_two")).toMatchObject([{ status: "ignored" }]);
    await world.db.update(stripeEvents).set({ status: "done" }).where(eq(stripeEvents.id, "evt_two"));
    const before = publishedOf("evt_two").length;
    await receive(await delivery("evt_two"));
    expect(publishedOf("evt_two")).toHaveLength(before);
    expect(await stored("evt_two")).toMatchObject([{ status: "done" }]);
  });

  it("of a kind that means nothing here is stored as ignored and not published", async () => {
    for (const type of ["product.created", "__proto__"]) {
      const id = `evt_${type}`;
      await receive(await delivery(id, { type }));
      expect(await stored(id)).toMatchObject([{ status: "ignored", type }]);
      expect(publishedOf(id)).toEqual([]);
    }
  });

  it("of the other mode is acknowledged and said in the log, and changes nothing", async () => {
    const deps = world.deps();
    const warn = vi.spyOn(deps.log, "warn");
    await receive(await delivery("evt_live", { livemode: true }), deps);
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("other mode"), {
      event_id: "evt_live",
      type: "checkout.session.completed",
    });
    expect(await stored("evt_live")).toEqual([]);
    expect(publishedOf("evt_live")).toEqual([]);
  });

  it("is not acknowledged when it cannot be published, nor where payments are not configured", async () => {
    const sent = await delivery("evt_three");
    const broken = world.deps();
    broken.queue.publish = () => Promise.reject(new Error("The queue is away"));
    await expect(receive(sent, broken)).rejects.toThrow("The queue is away");
    await receive(sent);
    expect(publishedOf("evt_three")).toHaveLength(1);
    await expect(receive(sent, world.deps({ payments: undefined }))).rejects.toMatchObject({
      code: "unavailable",
    });
  });
});

/** An event as it is stored when it arrives. */
async function arrived(objectId: string, type = "checkout.session.completed"): Promise<string> {
  const id = `evt_${crypto.randomUUID()}`;
  await world.db.insert(stripeEvents).values({ id, type, objectId });
  await world.db.insert(jobs).values({ kind: "handle-stripe-event", key: id, payload: { eventId: id } });
  return id;
}

/** The checkout of a session was begun so long ago. */
const age = (sessionId: string, minutes: number) =>
  world.db
    .update(checkouts)
    .set({ createdAt: sql`now() - make_interval(mins => ${minutes})` })
    .where(eq(checkouts.sessionId, sessionId));

async function paidSession() {
  const buyer = await world.newBuyer();
  const { sessionId } = await world.buy(buyer);
  await world.control(`sessions/${sessionId}/pay`);
  return { buyer, sessionId };
}

describe("an event of a checkout", () => {
  it("settles it by what the provider says, not the event, and is done", async () => {
    for (const type of ["completed", "async_payment_failed"]) {
      const { buyer, sessionId } = await paidSession();
      const id = await arrived(sessionId, `checkout.session.${type}`);
      await world.handle(id);
      expect((await stored(id))[0]).toMatchObject({
        status: "done",
        attempts: 1,
        settledAt: expect.any(Date),
      });
      expect(await world.team(buyer)).toMatchObject({ purchasedCredits: 500 });
    }
  });

  it("of another service of the same account is ignored, as is one that is unknown", async () => {
    const id = await arrived("cs_test_of_another_service");
    await world.handle(id);
    expect((await stored(id))[0]).toMatchObject({ status: "ignored" });
    await world.handle("evt_none");
  });
});

it("what is refunded before the service hears of the payment is not had, whichever event is handled first", async () => {
  const { buyer, sessionId } = await paidSession();
  const session = await world.payments.getCheckoutSession(sessionId);
  const intent = await world.payments.getPaymentIntent(session?.paymentIntentId ?? "");
  const chargeId = intent?.chargeId ?? "";
  await world.control(`charges/${chargeId}/refund`);
  const [refunded, completed] = [await arrived(chargeId, "charge.refunded"), await arrived(sessionId)];
  await world.handle(refunded);
  expect((await stored(refunded))[0]).toMatchObject({ status: "received", attempts: 1 });
  for (const id of [completed, refunded]) {
    await world.handle(id);
    expect((await stored(id))[0]).toMatchObject({ status: "done" });
  }
  expect(await world.team(buyer)).toMatchObject({ purchasedCredits: 0 });
  const moved = await world.transactionsOf(buyer);
  expect(moved.map(({ amountCents }) => String(amountCents)).toSorted()).toEqual(["-500", "500"]);
});

describe("an event that cannot be handled", () => {
  it("is tried again ever later, then failed with the reason, and succeeds by hand", async () => {
    const { buyer, sessionId } = await paidSession();
    const id = await arrived(sessionId);
    await world.control("faults", { faults: [{ call: "GET checkout/sessions", status: 429, times: 99 }] });
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await world.handle(id);
      expect((await stored(id))[0]).toMatchObject({ status: "received", attempts: attempt });
    }
    await world.handle(id);
    expect(world.published.map(({ delaySeconds }) => delaySeconds)).toEqual([10, 60, 300, 2_000, 3_600]);
    expect((await stored(id))[0]).toMatchObject({
      status: "failed",
      attempts: 5,
      error: "The payment provider is busy. Try again in a moment",
    });
    expect((await pageOfEvents(world.db, "failed", { limit: 9, offset: 0 })).events).toMatchObject([{ id }]);
    await world.control("faults", { faults: [] });
    const by = { adminId: buyer.id, address: "192.0.2.9" };
    await retryEvent(world.deps(), by, id);
    const trail = await world.db.select().from(adminActions).where(eq(adminActions.targetId, id));
    expect(trail).toMatchObject([{ adminId: buyer.id, actionType: "payment_event.retried" }]);
    // The hourly attempt is not waited for.
    expect(await world.db.select().from(jobs)).toMatchObject([{ key: id, attempts: 0 }]);
    expect(world.published.at(-1)).toMatchObject({ payload: { key: id } });
    await world.handle(id);
    expect((await stored(id))[0]).toMatchObject({ status: "done", error: null });
    expect(await world.team(buyer)).toMatchObject({ purchasedCredits: 500 });
    await expect(retryEvent(world.deps(), by, "evt_none")).rejects.toMatchObject({ code: "not_found" });
  });

  it("is tried for three days, every hour in the end", () => {
    const { pauses } = handleEvent;
    expect(pauses.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(3 * 86_400);
    expect(new Set(pauses.slice(4))).toEqual(new Set([3_600]));
  });
});

describe("the sweep of checkouts", () => {
  it("settles what is older than ten minutes and leaves the rest", async () => {
    const [old, young] = [await paidSession(), await paidSession()];
    await age(old.sessionId, 11);
    await sweepCheckouts(world.deps());
    expect(await world.team(old.buyer)).toMatchObject({ purchasedCredits: 500 });
    expect(await world.team(young.buyer)).toMatchObject({ purchasedCredits: 0 });
  });

  it("goes on after one that cannot be settled, and waits while the provider is away", async () => {
    const sessions = [await paidSession(), await paidSession(), await paidSession()];
    for (const { sessionId } of sessions) await age(sessionId, 11);
    const credits = async () => {
      const teams = await Promise.all(sessions.map(({ buyer }) => world.team(buyer)));
      return teams.reduce((sum, { purchasedCredits }) => sum + purchasedCredits, 0);
    };
    await world.control("faults", { faults: [{ call: "GET checkout/sessions", status: 429, times: 99 }] });
    await sweepCheckouts(world.deps());
    expect(await credits()).toBe(0);
    await world.control("faults", { faults: [{ call: "GET checkout/sessions", garbage: true, times: 1 }] });
    await sweepCheckouts(world.deps());
    expect(await credits()).toBe(1_000);
    await sweepCheckouts(world.deps());
    expect(await credits()).toBe(1_500);
  });

  it("ends what never had a page, and what the provider does not know", async () => {
    const buyer = await world.newBuyer();
    for (const [item, known] of [
      ["small", { sessionId: null, status: "open" }],
      ["medium", { sessionId: "cs_test_gone" }],
    ] as const) {
      const { sessionId } = await world.buy(buyer, item);
      await age(sessionId, 61);
      await world.db.update(checkouts).set(known).where(eq(checkouts.sessionId, sessionId));
    }
    await sweepCheckouts(world.deps());
    const statuses = (await world.checkoutsOf(buyer)).map(({ item, status }) => `${item} ${status}`);
    expect(new Set(statuses)).toEqual(new Set(["medium failed", "small expired"]));
    await sweepCheckouts(world.deps({ payments: undefined }));
  });
});
