import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog } from "#src/db/schema/index.ts";
import { syncSubscription } from "#src/domain/billing/subscriptions/index.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import { type BILLING, storedSubscription, subscribeAt } from "../support/payer.ts";
import { ago, withPayer } from "../support/with-payer.ts";

const world = await withPayer();
const { deps, standing } = world;
const sync = (id: string, config: Partial<typeof BILLING> = {}) => syncSubscription(deps({ config }), id);
const spendBundled = () => world.setTeam({ bundledCredits: 3 });
const stored = (id: string) => storedSubscription(world.db, id);
const auditEntries = () => world.db.select().from(auditLog).where(eq(auditLog.teamId, world.payer.teamId));

/** A subscription that the service knows. */
async function subscribed(price: Parameters<typeof subscribeAt>[2]): Promise<string> {
  const id = await subscribeAt(deps(), world.payer, price);
  await sync(id);
  return id;
}

const changePrice = async (id: string, priceId: string) => {
  const itemId = (await world.payments.getSubscription(id))?.item.id ?? "";
  await world.payments.changeSubscription(id, { price: { itemId, priceId } }, crypto.randomUUID());
  await sync(id);
};

describe("a subscription to a tier", () => {
  it("gives the tier of its price with its credits, until its period ends and beyond another price for new ones", async () => {
    const id = await subscribed("price_pro");
    expect(await standing()).toEqual(["pro", 2_000]);
    const row = await stored(id);
    const { teamId, id: userId } = world.payer;
    expect(row).toMatchObject({ teamId, userId, tier: "pro", status: "active" });
    expect((await world.team()).creditsResetAt).toEqual(row?.periodEnd);
    expect(await auditEntries()).toMatchObject([{ action: "subscription.created", userId, resourceId: id }]);
    await sync(id, { STRIPE_PRO_PRICE_ID: "price_pro_new" });
    expect((await standing())[0]).toBe("pro");
  });

  it("gives the credits of a period once", async () => {
    const id = await subscribed("price_basic");
    await spendBundled();
    await sync(id);
    expect(await standing()).toEqual(["basic", 3]);
    await world.advance(id);
    await sync(id);
    expect(await standing()).toEqual(["basic", 500]);
    await spendBundled();
    await sync(id);
    expect(await standing()).toEqual(["basic", 3]);
  });

  it("gives the credits of a higher tier at once, and none again after a lower one, nor between months and years", async () => {
    const id = await subscribed("price_basic");
    await spendBundled();
    await changePrice(id, "price_pro");
    expect(await standing()).toEqual(["pro", 2_000]);
    await spendBundled();
    await changePrice(id, "price_basic");
    expect(await standing()).toEqual(["basic", 3]);
    for (const price of ["price_pro", "price_pro_annual", "price_pro"]) {
      await changePrice(id, price);
      expect(await standing()).toEqual(["pro", 3]);
    }
  });

  it("says when it will end and grants until then; its end takes tier and bundled credits, and leaves bought ones", async () => {
    const id = await subscribed("price_pro");
    await world.setTeam({ purchasedCredits: 70 });
    await world.payments.changeSubscription(id, { cancelAtPeriodEnd: true }, "end");
    await sync(id);
    const row = await stored(id);
    expect(row?.cancelAt).toEqual(row?.periodEnd);
    expect(await standing()).toEqual(["pro", 2_000]);
    await world.payments.cancelSubscription(id);
    await sync(id);
    expect(await standing()).toEqual(["free", 0]);
    expect(await world.team()).toMatchObject({ purchasedCredits: 70, creditsResetAt: null });
    expect(await stored(id)).toMatchObject({ status: "canceled" });
  });

  it("that is overdue keeps the tier for the days of grace without new credits, which come when it is paid after all", async () => {
    const id = await subscribed("price_pro");
    await spendBundled();
    await world.cardFails();
    await world.advance(id);
    await sync(id);
    expect(await standing()).toEqual(["pro", 3]);
    await world.setSubscription(id, { pastDueSince: ago("8 days") });
    await sync(id);
    expect(await standing()).toEqual(["free", 0]);
    expect(await stored(id)).toMatchObject({ status: "past_due" });
    await world.payOverdue();
    await sync(id);
    expect(await standing()).toEqual(["pro", 2_000]);
  });

  it("that is overdue ends its tier at once where there are no days of grace", async () => {
    const id = await subscribed("price_pro");
    await world.cardFails();
    await world.advance(id);
    await sync(id, { BILLING_GRACE_DAYS: 0 });
    expect(await standing()).toEqual(["free", 0]);
  });

  it("is one of several: the highest tier counts until it ends", async () => {
    const [basic, pro] = [await subscribed("price_basic"), await subscribed("price_pro")];
    await sync(basic);
    expect(await standing()).toEqual(["pro", 2_000]);
    await world.payments.cancelSubscription(pro);
    await sync(pro);
    expect((await standing())[0]).toBe("basic");
  });

  it("that was never paid takes nothing from a team with a tier by hand", async () => {
    await world.setTeam({ subscriptionTier: "ultra" });
    const id = await subscribeAt(deps(), world.payer, "price_basic");
    const payments: Payments = {
      ...world.payments,
      getSubscription: async (each) => {
        const found = await world.payments.getSubscription(each);
        return found && { ...found, status: "incomplete" };
      },
    };
    await syncSubscription(deps({ payments }), id);
    expect(await standing()).toEqual(["ultra", 0]);
  });

  it("of a customer that is not ours is not stored", async () => {
    const id = await subscribeAt(deps(), world.payer, "price_basic");
    await world.db.execute(sql`DELETE FROM checkouts WHERE team_id = ${world.payer.teamId}::uuid`);
    await world.setTeam({ stripeCustomerId: null });
    expect(await sync(id)).toBeUndefined();
    expect(await stored(id)).toBeUndefined();
  });
});

describe("two answers about a subscription", () => {
  it("count by when they were asked for, whichever comes last", async () => {
    const id = await subscribeAt(deps(), world.payer, "price_pro");
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const slow: Payments = {
      ...world.payments,
      getSubscription: async (each) => {
        const found = await world.payments.getSubscription(each);
        asked.resolve();
        await answered.promise;
        return found;
      },
    };
    const earlier = syncSubscription(deps({ payments: slow }), id);
    await asked.promise;
    await world.payments.cancelSubscription(id);
    await sync(id);
    answered.resolve();
    expect(await earlier).toBeUndefined();
    expect(await standing()).toEqual(["free", 0]);
  });

  it("at once give the credits of the period once", async () => {
    const id = await subscribeAt(deps(), world.payer, "price_pro");
    await Promise.all(Array.from({ length: 8 }, () => sync(id)));
    expect(await standing()).toEqual(["pro", 2_000]);
    expect(await auditEntries()).toHaveLength(1);
  });

  it("that the provider does not know the subscription end it with its period", async () => {
    const id = await subscribed("price_pro");
    const payments: Payments = { ...world.payments, getSubscription: async () => undefined };
    await syncSubscription(deps({ payments }), id);
    expect((await standing())[0]).toBe("pro");
    await world.setSubscription(id, { periodEnd: ago("1 hour") });
    await syncSubscription(deps({ payments }), id);
    expect(await standing()).toEqual(["free", 0]);
  });
});
