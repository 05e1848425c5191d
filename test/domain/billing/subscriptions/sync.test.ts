import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { auditLog, subscriptions, teams } from "#src/db/schema/index.ts";
import { syncSubscription } from "#src/domain/billing/subscriptions/index.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import { startTestStripe, type TestStripe } from "#test/local/support/stripe.ts";
import { openDatabase } from "#test/support/database.ts";
import {
  BILLING,
  newPayer,
  type Payer,
  paymentsAt,
  standingOf,
  storedSubscription,
  subscribeAt,
  teamOf,
} from "../support/payer.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let stripe: TestStripe;
let payments: Payments;
let payer: Payer;

beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  stripe = await startTestStripe();
  payments = paymentsAt(stripe);
  payer = await newPayer(database.db, payments);
});
afterEach(() => stripe.close());

const parts = () => ({ db: database.db, payments, stripe });
const sync = (id: string, change: Partial<typeof BILLING> = {}) =>
  syncSubscription({ db: database.db, payments, config: { ...BILLING, ...change } }, id);
const standing = () => standingOf(database.db, payer);
const spendBundled = () =>
  database.db.update(teams).set({ bundledCredits: 3 }).where(eq(teams.id, payer.teamId));

/** A subscription that the service knows. */
async function subscribed(price: Parameters<typeof subscribeAt>[2]): Promise<string> {
  const id = await subscribeAt(parts(), payer, price);
  await sync(id);
  return id;
}

const changePrice = async (id: string, priceId: string) => {
  const itemId = (await payments.getSubscription(id))?.item.id ?? "";
  await payments.changeSubscription(id, { price: { itemId, priceId } }, crypto.randomUUID());
};

describe("a subscription to a tier", () => {
  it("gives the tier of its price, with its credits until the end of the period", async () => {
    const id = await subscribed("price_pro");
    expect(await standing()).toEqual(["pro", 2_000]);
    const row = await storedSubscription(database.db, id);
    expect(row).toMatchObject({ teamId: payer.teamId, userId: payer.id, tier: "pro", status: "active" });
    expect((await teamOf(database.db, payer)).creditsResetAt).toEqual(row?.periodEnd);
    const entries = await database.db.select().from(auditLog).where(eq(auditLog.teamId, payer.teamId));
    expect(entries).toMatchObject([{ action: "subscription.created", userId: payer.id, resourceId: id }]);
  });

  it("gives the credits of a period once", async () => {
    const id = await subscribed("price_basic");
    await spendBundled();
    await sync(id);
    expect(await standing()).toEqual(["basic", 3]);
    await stripe.control(`subscriptions/${id}/advance`);
    await sync(id);
    expect(await standing()).toEqual(["basic", 500]);
    await spendBundled();
    await sync(id);
    expect(await standing()).toEqual(["basic", 3]);
  });

  it("gives the credits of a higher tier at once, and not again after a lower one in between", async () => {
    const id = await subscribed("price_basic");
    await spendBundled();
    await changePrice(id, "price_pro");
    await sync(id);
    expect(await standing()).toEqual(["pro", 2_000]);
    await spendBundled();
    for (const price of ["price_basic", "price_pro"]) {
      await changePrice(id, price);
      await sync(id);
    }
    expect(await standing()).toEqual(["pro", 3]);
  });

  it("gives no credits for a change between months and years", async () => {
    const id = await subscribed("price_pro");
    await spendBundled();
    for (const price of ["price_pro_annual", "price_pro"]) {
      await changePrice(id, price);
      await sync(id);
      expect(await standing()).toEqual(["pro", 3]);
    }
  });

  it("takes tier and bundled credits when it ends, and leaves bought credits", async () => {
    const id = await subscribed("price_pro");
    await database.db.update(teams).set({ purchasedCredits: 70 }).where(eq(teams.id, payer.teamId));
    await payments.cancelSubscription(id);
    await sync(id);
    expect(await standing()).toEqual(["free", 0]);
    expect(await teamOf(database.db, payer)).toMatchObject({ purchasedCredits: 70, creditsResetAt: null });
    expect(await storedSubscription(database.db, id)).toMatchObject({ status: "canceled" });
  });

  it("says when it will end, and grants until then", async () => {
    const id = await subscribed("price_pro");
    await payments.changeSubscription(id, { cancelAtPeriodEnd: true }, "end");
    await sync(id);
    const row = await storedSubscription(database.db, id);
    expect(row?.cancelAt).toEqual(row?.periodEnd);
    expect(await standing()).toEqual(["pro", 2_000]);
  });

  it("that is overdue keeps the tier for the days of grace, without new credits", async () => {
    const id = await subscribed("price_pro");
    await spendBundled();
    await stripe.control(`customers/${payer.customerId}/card`, { card: "fails" });
    await stripe.control(`subscriptions/${id}/advance`);
    await sync(id);
    expect(await standing()).toEqual(["pro", 3]);
    await database.db
      .update(subscriptions)
      .set({ pastDueSince: sql`now() - interval '8 days'` })
      .where(eq(subscriptions.subscriptionId, id));
    await sync(id);
    expect(await standing()).toEqual(["free", 0]);
    expect(await storedSubscription(database.db, id)).toMatchObject({ status: "past_due" });
  });

  it("gives the period's credits when an overdue payment is made after all", async () => {
    const id = await subscribed("price_pro");
    await stripe.control(`customers/${payer.customerId}/card`, { card: "fails" });
    await stripe.control(`subscriptions/${id}/advance`);
    await sync(id, { BILLING_GRACE_DAYS: 0 });
    expect(await standing()).toEqual(["free", 0]);
    const portal = await payments.createPortalSession(
      { customerId: payer.customerId, returnUrl: "https://service.test" },
      "portal",
    );
    await fetch(`${portal}/card`, { method: "POST", body: new URLSearchParams({ card: "works" }) });
    await sync(id);
    expect(await standing()).toEqual(["pro", 2_000]);
  });

  it("is one of several: the highest tier counts until it ends", async () => {
    const [basic, pro] = [await subscribed("price_basic"), await subscribed("price_pro")];
    await sync(basic);
    expect(await standing()).toEqual(["pro", 2_000]);
    await payments.cancelSubscription(pro);
    await sync(pro);
    expect((await standing())[0]).toBe("basic");
  });

  it("keeps its tier when another price is configured for new ones", async () => {
    const id = await subscribed("price_pro");
    await sync(id, { STRIPE_PRO_PRICE_ID: "price_pro_new" });
    expect((await standing())[0]).toBe("pro");
  });

  it("that was never paid takes nothing from a team with a tier by hand", async () => {
    await database.db.update(teams).set({ subscriptionTier: "ultra" }).where(eq(teams.id, payer.teamId));
    const id = await subscribeAt(parts(), payer, "price_basic");
    const asked: Payments = {
      ...payments,
      getSubscription: async (each) => {
        const found = await payments.getSubscription(each);
        return found && { ...found, status: "incomplete" };
      },
    };
    await syncSubscription({ db: database.db, payments: asked, config: BILLING }, id);
    expect(await standing()).toEqual(["ultra", 0]);
  });

  it("of a customer that is not ours is not stored", async () => {
    const id = await subscribeAt(parts(), payer, "price_basic");
    await database.db.execute(sql`DELETE FROM checkouts WHERE team_id = ${payer.teamId}::uuid`);
    await database.db.update(teams).set({ stripeCustomerId: null }).where(eq(teams.id, payer.teamId));
    expect(await sync(id)).toBeUndefined();
    expect(await storedSubscription(database.db, id)).toBeUndefined();
  });
});

describe("two answers about a subscription", () => {
  it("count by when they were asked for, whichever comes last", async () => {
    const id = await subscribeAt(parts(), payer, "price_pro");
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const slow: Payments = {
      ...payments,
      getSubscription: async (each) => {
        const found = await payments.getSubscription(each);
        asked.resolve();
        await answered.promise;
        return found;
      },
    };
    const earlier = syncSubscription({ db: database.db, payments: slow, config: BILLING }, id);
    await asked.promise;
    await payments.cancelSubscription(id);
    await sync(id);
    answered.resolve();
    expect(await earlier).toBeUndefined();
    expect(await standing()).toEqual(["free", 0]);
  });

  it("at once give the credits of the period once", async () => {
    const id = await subscribeAt(parts(), payer, "price_pro");
    await Promise.all(Array.from({ length: 8 }, () => sync(id)));
    expect(await standing()).toEqual(["pro", 2_000]);
    const entries = await database.db.select().from(auditLog).where(eq(auditLog.teamId, payer.teamId));
    expect(entries).toHaveLength(1);
  });

  it("that the provider does not know the subscription end it with its period", async () => {
    const id = await subscribed("price_pro");
    const unknowing: Payments = { ...payments, getSubscription: async () => undefined };
    const ask = () => syncSubscription({ db: database.db, payments: unknowing, config: BILLING }, id);
    await ask();
    expect((await standing())[0]).toBe("pro");
    await database.db
      .update(subscriptions)
      .set({ periodEnd: sql`now() - interval '1 hour'` })
      .where(eq(subscriptions.subscriptionId, id));
    await ask();
    expect(await standing()).toEqual(["free", 0]);
  });
});
