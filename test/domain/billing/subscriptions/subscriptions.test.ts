import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { subscriptions, users } from "#src/db/schema/index.ts";
import { fillPools } from "#src/domain/metering/credits/index.ts";
import {
  cancelSubscriptionsWithoutTeam,
  sweepSubscriptions,
  syncSubscription,
} from "#src/domain/billing/subscriptions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
import { type BILLING, newPayer, storedSubscription, subscribeAt, transactionsOf } from "../support/payer.ts";
import { ago, withPayer } from "../support/with-payer.ts";

const world = await withPayer();
const { deps, standing, setSubscription } = world;
const sync = (id: string, config: Partial<typeof BILLING> = {}) => syncSubscription(deps({ config }), id);
const spendBundled = () => world.setTeam({ bundledCredits: 3 });
const stored = (id: string) => storedSubscription(world.db, id);
const noted = () => auditEntries(world.db, { teamId: world.payer.teamId });

const sweep = () => sweepSubscriptions(deps());
// A sweep takes those of all.
afterEach(() => world.db.delete(subscriptions));

/** A subscription that the service knows. */
async function subscribed(price: Parameters<typeof subscribeAt>[2], payer = world.payer): Promise<string> {
  const id = await subscribeAt(deps(), payer, price);
  await sync(id);
  return id;
}

/** A subscription to Pro whose second payment has failed, with three credits of the first left. */
async function overdue(): Promise<string> {
  const id = await subscribed("price_pro");
  await spendBundled();
  await world.cardFails();
  await world.advance(id);
  await sync(id);
  return id;
}

const changePrice = async (id: string, priceId?: string) => {
  await world.changePrice(id, priceId);
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
    expect(await noted()).toMatchObject([{ action: "subscription.created", userId, resourceId: id }]);
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
    const id = await overdue();
    expect(await standing()).toEqual(["pro", 3]);
    await setSubscription(id, { pastDueSince: ago("8 days") });
    await sync(id);
    expect(await standing()).toEqual(["free", 0]);
    expect(await stored(id)).toMatchObject({ status: "past_due" });
    await world.payOverdue();
    await sync(id);
    expect(await standing()).toEqual(["pro", 2_000]);
  });

  it("that is overdue ends its tier at once where there are no days of grace", async () => {
    await sync(await overdue(), { BILLING_GRACE_DAYS: 0 });
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
    expect(await noted()).toHaveLength(1);
  });

  it("that the provider does not know the subscription end it with its period", async () => {
    const id = await subscribed("price_pro");
    const payments: Payments = { ...world.payments, getSubscription: async () => undefined };
    await syncSubscription(deps({ payments }), id);
    expect((await standing())[0]).toBe("pro");
    await setSubscription(id, { periodEnd: ago("1 hour") });
    await syncSubscription(deps({ payments }), id);
    expect(await standing()).toEqual(["free", 0]);
  });
});

describe("the sweep of subscriptions", () => {
  it("finds the next period and its payment when no event came", async () => {
    const id = await subscribed("price_pro");
    await world.setTeam({ bundledCredits: 1 });
    await world.advance(id);
    await sweep();
    expect(await standing()).toEqual(["pro", 1]);
    await setSubscription(id, { periodEnd: ago("1 minute") });
    await sweep();
    expect(await standing()).toEqual(["pro", 2_000]);
    expect(await transactionsOf(world.db, world.payer)).toMatchObject([{ amountCents: 4_900 }]);
  });

  it("finds a payment that an invoice of nothing follows", async () => {
    const id = await subscribed("price_pro");
    await changePrice(id);
    await setSubscription(id, { observedAt: ago("25 hours") });
    await sweep();
    expect(await transactionsOf(world.db, world.payer)).toMatchObject([{ amountCents: 4_900 }]);
  });

  it("ends the grace, and finds any change within a day", async () => {
    const id = await overdue();
    for (const [since, tier] of [
      ["6 days 12 hours", "pro"],
      ["7 days 12 hours", "free"],
    ] as const) {
      await setSubscription(id, { pastDueSince: ago(since) });
      await sweep();
      expect((await standing())[0]).toBe(tier);
    }
    await world.payments.cancelSubscription(id);
    await setSubscription(id, { observedAt: ago("25 hours") });
    await sweep();
    expect(await stored(id)).toMatchObject({ status: "canceled" });
  });

  it.each([
    ["goes on after a failure of the provider", "provider_failed", 2, ["active", "canceled"]],
    ["stops when the provider is away", "unavailable", 1, ["active", "active"]],
  ] as const)("%s", async (_, code, asks, statuses) => {
    const ids: string[] = [];
    for (const hours of ["26 hours", "25 hours"]) {
      const id = await subscribed("price_pro", await newPayer(world.db, world.payments));
      await setSubscription(id, { observedAt: ago(hours) });
      await world.payments.cancelSubscription(id);
      ids.push(id);
    }
    const asked: string[] = [];
    const failing: Payments = {
      ...world.payments,
      getSubscription(id) {
        asked.push(id);
        if (asked.length === 1) return Promise.reject(new AppError(code, "It failed"));
        return world.payments.getSubscription(id);
      },
    };
    await sweepSubscriptions(deps({ payments: failing }));
    expect(asked).toHaveLength(asks);
    // The sweep takes them in no order; the first one fails.
    const inOrder = asked[0] === ids[0] ? ids : ids.toReversed();
    const rows = await Promise.all(inOrder.map((id) => stored(id)));
    expect(rows.map((row) => row?.status)).toEqual(statuses);
  });
});

const deleteTeam = () => world.db.delete(users).where(eq(users.id, world.payer.id));
const statusOf = async (id: string) => (await world.payments.getSubscription(id))?.status;

describe("a deleted team", () => {
  it("pays for nothing more: what it subscribed to is cancelled, at the latest by the sweep", async () => {
    const id = await subscribed("price_pro");
    await deleteTeam();
    expect(await stored(id)).toMatchObject({ teamId: null, status: "active" });
    const away = { ...world.payments, cancelSubscription: () => Promise.reject(new Error("away")) };
    await cancelSubscriptionsWithoutTeam(deps({ payments: away }));
    expect(await statusOf(id)).toBe("active");
    await cancelSubscriptionsWithoutTeam(deps());
    expect(await statusOf(id)).toBe("canceled");
    expect(await stored(id)).toMatchObject({ status: "canceled" });
  });

  it("that pays afterwards gets its subscription cancelled by the sweep", async () => {
    const id = await subscribeAt(deps(), world.payer, "price_pro");
    await deleteTeam();
    await sync(id);
    await sweep();
    expect(await statusOf(id)).toBe("canceled");
  });
});

/** Makes the next filling due, fills, and returns the bundled credits. */
async function due(): Promise<number> {
  await world.setTeam({ bundledCredits: 1 });
  await world.db.execute(`UPDATE teams SET credits_reset_at = now() - interval '1 minute'
    WHERE id = '${world.payer.teamId}'`);
  await fillPools(deps());
  return (await world.team()).bundledCredits;
}

describe("the hourly filling of credits", () => {
  it("leaves periods of a month to the subscription, also overdue ones", async () => {
    const id = await subscribed("price_pro");
    expect(await due()).toBe(1);
    await world.cardFails();
    await world.advance(id);
    await sync(id);
    expect(await due()).toBe(1);
  });

  it("fills a paid year each month, until its end", async () => {
    const id = await subscribed("price_pro_annual");
    const row = await stored(id);
    const nextMonth = (await world.team()).creditsResetAt?.getTime() ?? 0;
    expect((nextMonth - (row?.periodStart.getTime() ?? 0)) / 86_400_000).toBeCloseTo(30, -1);
    expect(await due()).toBe(2_000);
    expect((await world.team()).creditsResetAt?.getTime()).toBe(nextMonth);
    await setSubscription(id, { periodEnd: ago("1 second") });
    expect(await due()).toBe(1);
  });

  it("fills a tier by hand, also after a subscription that ended", async () => {
    const id = await subscribed("price_basic");
    await world.payments.cancelSubscription(id);
    await sync(id);
    await world.setTeam({ subscriptionTier: "pro" });
    expect(await due()).toBe(2_000);
  });
});
