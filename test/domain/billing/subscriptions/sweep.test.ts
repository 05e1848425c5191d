import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { subscriptions, users } from "#src/db/schema/index.ts";
import { fillPools } from "#src/domain/billing/credits/index.ts";
import {
  cancelSubscriptionsWithoutTeam,
  sweepSubscriptions,
  syncSubscription,
} from "#src/domain/billing/subscriptions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import { newPayer, storedSubscription, subscribeAt, transactionsOf } from "../support/payer.ts";
import { ago, withPayer } from "../support/with-payer.ts";

const world = await withPayer();
const { deps, standing, setSubscription } = world;
const sweep = () => sweepSubscriptions(deps());
// A sweep takes those of all.
afterEach(() => world.db.delete(subscriptions));

async function subscribed(price: Parameters<typeof subscribeAt>[2], payer = world.payer): Promise<string> {
  const id = await subscribeAt(deps(), payer, price);
  await syncSubscription(deps(), id);
  return id;
}

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

  it("ends the grace, and finds any change within a day", async () => {
    const id = await subscribed("price_pro");
    await world.cardFails();
    await world.advance(id);
    await syncSubscription(deps(), id);
    await setSubscription(id, { pastDueSince: ago("6 days 23 hours") });
    await sweep();
    expect((await standing())[0]).toBe("pro");
    await setSubscription(id, { pastDueSince: ago("7 days 1 minute") });
    await sweep();
    expect(await standing()).toEqual(["free", 0]);
    await world.payments.cancelSubscription(id);
    await setSubscription(id, { observedAt: ago("25 hours") });
    await sweep();
    expect(await storedSubscription(world.db, id)).toMatchObject({ status: "canceled" });
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
    const rows = await Promise.all(inOrder.map((id) => storedSubscription(world.db, id)));
    expect(rows.map((row) => row?.status)).toEqual(statuses);
  });
});

const deleteTeam = () => world.db.delete(users).where(eq(users.id, world.payer.id));
const statusOf = async (id: string) => (await world.payments.getSubscription(id))?.status;

describe("a deleted team", () => {
  it("pays for nothing more: what it subscribed to is cancelled, at the latest by the sweep", async () => {
    const id = await subscribed("price_pro");
    await deleteTeam();
    expect(await storedSubscription(world.db, id)).toMatchObject({ teamId: null, status: "active" });
    const away = { ...world.payments, cancelSubscription: () => Promise.reject(new Error("away")) };
    await cancelSubscriptionsWithoutTeam(deps({ payments: away }));
    expect(await statusOf(id)).toBe("active");
    await cancelSubscriptionsWithoutTeam(deps());
    expect(await statusOf(id)).toBe("canceled");
    expect(await storedSubscription(world.db, id)).toMatchObject({ status: "canceled" });
  });

  it("that pays afterwards gets its subscription cancelled by the sweep", async () => {
    const id = await subscribeAt(deps(), world.payer, "price_pro");
    await deleteTeam();
    await syncSubscription(deps(), id);
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
    await syncSubscription(deps(), id);
    expect(await due()).toBe(1);
  });

  it("fills a paid year each month, until its end", async () => {
    const id = await subscribed("price_pro_annual");
    const row = await storedSubscription(world.db, id);
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
    await syncSubscription(deps(), id);
    await world.setTeam({ subscriptionTier: "pro" });
    expect(await due()).toBe(2_000);
  });
});
