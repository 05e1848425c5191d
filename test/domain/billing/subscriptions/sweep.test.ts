import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { subscriptions, teams, users } from "#src/db/schema/index.ts";
import { fillPools } from "#src/domain/billing/credits/index.ts";
import {
  cancelSubscriptionsWithoutTeam,
  sweepSubscriptions,
  syncSubscription,
} from "#src/domain/billing/subscriptions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import { startTestStripe, type TestStripe } from "#test/local/support/stripe.ts";
import { openDatabase } from "#test/support/database.ts";
import {
  BILLING,
  newPayer,
  type Payer,
  paymentsAt,
  queueKeeping,
  standingOf,
  storedSubscription,
  subscribeAt,
  teamOf,
  transactionsOf,
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
afterEach(async () => {
  await stripe.close();
  await database.db.delete(subscriptions);
});

const { queue } = queueKeeping();
const deps = () => ({ db: database.db, payments, stripe, queue, log: createLog(), config: BILLING });
const age = (
  id: string,
  set: Partial<Record<"periodEnd" | "observedAt" | "pastDueSince", ReturnType<typeof sql>>>,
) => database.db.update(subscriptions).set(set).where(eq(subscriptions.subscriptionId, id));
const ago = (interval: string) => sql`now() - ${interval}::interval`;

async function subscribed(price: Parameters<typeof subscribeAt>[2]): Promise<string> {
  const id = await subscribeAt(deps(), payer, price);
  await syncSubscription(deps(), id);
  return id;
}

describe("the sweep of subscriptions", () => {
  it("finds the next period and its payment when no event came", async () => {
    const id = await subscribed("price_pro");
    await database.db.update(teams).set({ bundledCredits: 1 }).where(eq(teams.id, payer.teamId));
    await stripe.control(`subscriptions/${id}/advance`);
    await sweepSubscriptions(deps());
    expect(await standingOf(database.db, payer)).toEqual(["pro", 1]);
    await age(id, { periodEnd: ago("1 minute") });
    await sweepSubscriptions(deps());
    expect(await standingOf(database.db, payer)).toEqual(["pro", 2_000]);
    expect(await transactionsOf(database.db, payer)).toMatchObject([{ amountCents: 4_900 }]);
  });

  it("finds any change within a day", async () => {
    const id = await subscribed("price_pro");
    await payments.cancelSubscription(id);
    await age(id, { observedAt: ago("25 hours") });
    await sweepSubscriptions(deps());
    expect(await standingOf(database.db, payer)).toEqual(["free", 0]);
  });

  it("ends the grace", async () => {
    const id = await subscribed("price_pro");
    await stripe.control(`customers/${payer.customerId}/card`, { card: "fails" });
    await stripe.control(`subscriptions/${id}/advance`);
    await syncSubscription(deps(), id);
    await age(id, { pastDueSince: ago("6 days 23 hours") });
    await sweepSubscriptions(deps());
    expect((await standingOf(database.db, payer))[0]).toBe("pro");
    await age(id, { pastDueSince: ago("7 days 1 minute") });
    await sweepSubscriptions(deps());
    expect(await standingOf(database.db, payer)).toEqual(["free", 0]);
  });

  it.each([
    ["goes on after a failure of the provider", "provider_failed", 2, ["active", "canceled"]],
    ["stops when the provider is away", "unavailable", 1, ["active", "active"]],
  ] as const)("%s", async (_, code, asks, statuses) => {
    const ids: string[] = [];
    for (const hours of ["26 hours", "25 hours"]) {
      const each = await newPayer(database.db, payments);
      const id = await subscribeAt(deps(), each, "price_pro");
      await syncSubscription(deps(), id);
      await age(id, { observedAt: ago(hours) });
      await payments.cancelSubscription(id);
      ids.push(id);
    }
    const asked: string[] = [];
    const failing: Payments = {
      ...payments,
      getSubscription(id) {
        asked.push(id);
        if (asked.length === 1) return Promise.reject(new AppError(code, "It failed"));
        return payments.getSubscription(id);
      },
    };
    await sweepSubscriptions({ ...deps(), payments: failing });
    expect(asked).toHaveLength(asks);
    // The sweep takes them in no order; the first one fails.
    const inOrder = asked[0] === ids[0] ? ids : ids.toReversed();
    const rows = await Promise.all(inOrder.map((id) => storedSubscription(database.db, id)));
    expect(rows.map((row) => row?.status)).toEqual(statuses);
  });
});

describe("a deleted team", () => {
  it("pays for nothing more: what it subscribed to is cancelled", async () => {
    const id = await subscribed("price_pro");
    await database.db.delete(users).where(eq(users.id, payer.id));
    expect(await storedSubscription(database.db, id)).toMatchObject({ teamId: null, status: "active" });
    await cancelSubscriptionsWithoutTeam(deps());
    expect((await payments.getSubscription(id))?.status).toBe("canceled");
    expect(await storedSubscription(database.db, id)).toMatchObject({ status: "canceled" });
  });

  it("that pays afterwards gets its subscription cancelled by the sweep", async () => {
    const id = await subscribeAt(deps(), payer, "price_pro");
    await database.db.delete(users).where(eq(users.id, payer.id));
    await syncSubscription(deps(), id);
    await sweepSubscriptions(deps());
    expect((await payments.getSubscription(id))?.status).toBe("canceled");
  });

  it("is deleted also while the provider is away, and the sweep cancels later", async () => {
    const id = await subscribed("price_pro");
    await database.db.delete(users).where(eq(users.id, payer.id));
    const away: Payments = {
      ...payments,
      cancelSubscription: () => Promise.reject(new Error("away")),
    };
    await cancelSubscriptionsWithoutTeam({ ...deps(), payments: away });
    expect((await payments.getSubscription(id))?.status).toBe("active");
    await sweepSubscriptions(deps());
    expect((await payments.getSubscription(id))?.status).toBe("canceled");
  });
});

/** Makes the next filling due, fills, and returns the bundled credits. */
async function due(): Promise<number> {
  await database.db
    .update(teams)
    .set({ bundledCredits: 1, creditsResetAt: ago("1 minute") })
    .where(eq(teams.id, payer.teamId));
  await fillPools(deps());
  return (await teamOf(database.db, payer)).bundledCredits;
}

describe("the hourly filling of credits", () => {
  it("leaves periods of a month to the subscription, also overdue ones", async () => {
    const id = await subscribed("price_pro");
    expect(await due()).toBe(1);
    await stripe.control(`customers/${payer.customerId}/card`, { card: "fails" });
    await stripe.control(`subscriptions/${id}/advance`);
    await syncSubscription(deps(), id);
    expect(await due()).toBe(1);
  });

  it("fills a paid year each month, until its end", async () => {
    const id = await subscribed("price_pro_annual");
    const row = await storedSubscription(database.db, id);
    const nextMonth = (await teamOf(database.db, payer)).creditsResetAt?.getTime() ?? 0;
    expect((nextMonth - (row?.periodStart.getTime() ?? 0)) / 86_400_000).toBeCloseTo(30, -1);
    expect(await due()).toBe(2_000);
    expect((await teamOf(database.db, payer)).creditsResetAt?.getTime()).toBe(nextMonth);
    await age(id, { periodEnd: ago("1 second") });
    expect(await due()).toBe(1);
  });

  it("fills a tier by hand, also after a subscription that ended", async () => {
    const id = await subscribed("price_basic");
    await payments.cancelSubscription(id);
    await syncSubscription(deps(), id);
    await database.db.update(teams).set({ subscriptionTier: "pro" }).where(eq(teams.id, payer.teamId));
    expect(await due()).toBe(2_000);
  });
});
