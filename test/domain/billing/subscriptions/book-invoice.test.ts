import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { libraryAgents, payouts } from "#src/db/schema/index.ts";
import { reviewCharge } from "#src/domain/billing/reversals/index.ts";
import { bookInvoice, sharesOf, syncSubscription } from "#src/domain/billing/subscriptions/index.ts";
import { newPaidAgent, subscribeAt, subscribeToAgent, transactionsOf } from "../support/payer.ts";
import { ago, withPayer } from "../support/with-payer.ts";

const world = await withPayer();
const { deps, lastInvoiceOf, standing } = world;
const book = (invoiceId: string) => bookInvoice(deps(), invoiceId);
const booked = () => transactionsOf(world.db, world.payer);

describe("an invoice of a subscription", () => {
  it("is booked once for each period, however often and at once it is heard of, also before the subscription", async () => {
    const id = await subscribeAt(deps(), world.payer, "price_pro");
    const invoiceId = await lastInvoiceOf(id);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => book(invoiceId)));
    expect(outcomes.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect((await standing())[0]).toBe("pro");
    const { paymentIntentId } = (await world.payments.getInvoice(invoiceId)) ?? {};
    const first = {
      type: "subscription",
      amountCents: 4_900,
      creatorCents: 0,
      platformCents: 4_900,
      currency: "usd",
      userId: world.payer.id,
      subscriptionId: id,
      invoiceId,
      paymentIntentId,
    };
    expect(await booked()).toMatchObject([first]);
    await world.advance(id);
    await book(await lastInvoiceOf(id));
    expect(await booked()).toMatchObject([first, { amountCents: 4_900 }]);
  });

  it("is not booked while it is unpaid, nor when it is unknown", async () => {
    const id = await subscribeAt(deps(), world.payer, "price_basic");
    await world.cardFails();
    await world.advance(id);
    expect(await book(await lastInvoiceOf(id))).toEqual({ isNew: false });
    expect(await book("in_unknown")).toEqual({ isNew: false });
    expect(await booked()).toEqual([]);
  });

  it("for an agent has the share of its creator, to be paid out", async () => {
    const agent = await newPaidAgent(world.db, 333);
    const id = await subscribeToAgent(deps(), world.payer, agent);
    await book(await lastInvoiceOf(id));
    const [transaction] = await booked();
    expect(transaction).toMatchObject({
      agentId: agent.id,
      creatorId: agent.creator.id,
      creatorCents: 299,
      platformCents: 34,
    });
    const transactionId = transaction?.id ?? "";
    const shares = await world.db.select().from(payouts).where(eq(payouts.transactionId, transactionId));
    expect(shares).toMatchObject([{ creatorId: agent.creator.id, amountCents: 299, status: "pending" }]);
    expect(world.published).toMatchObject([{ function: "pay-creator", payload: { key: transactionId } }]);
  });
});

it.each([
  [1, 0.9, 0],
  [100, 0.29, 29],
  [99_900, 1, 99_900],
])(
  "the share of %d cents at %d is %d, rounded down, and the rest is the service's",
  (amount, share, expected) => {
    const { creatorCents, platformCents } = sharesOf(amount, { CREATOR_REVENUE_SHARE: share });
    expect([creatorCents, platformCents]).toEqual([expected, amount - expected]);
  },
);

/** A subscription to an agent that the service knows. */
async function subscribed(): Promise<string> {
  const id = await subscribeToAgent(deps(), world.payer, await newPaidAgent(world.db, 300));
  await syncSubscription(deps(), id);
  return id;
}

/** Whether the team may use the agent of a subscription, as the right is stored. */
async function isUsable(id: string): Promise<boolean> {
  const rows = await world.db
    .select({ usable: sql<boolean>`ended_at IS NULL AND expires_at > now()` })
    .from(libraryAgents)
    .where(eq(libraryAgents.subscriptionId, id));
  return rows[0]?.usable ?? false;
}

describe("a subscription to an agent", () => {
  it("gives the agent until it ends, and no tier", async () => {
    const id = await subscribed();
    expect(await isUsable(id)).toBe(true);
    expect(await standing()).toEqual(["free", 0]);
    await world.payments.cancelSubscription(id);
    await syncSubscription(deps(), id);
    expect(await isUsable(id)).toBe(false);
  });

  it("that is overdue keeps the agent for the days of grace, and gives it back once it is paid", async () => {
    const id = await subscribed();
    await world.cardFails();
    await world.advance(id);
    await syncSubscription(deps(), id);
    expect(await isUsable(id)).toBe(true);
    await world.setSubscription(id, { pastDueSince: ago("8 days") });
    await syncSubscription(deps(), id);
    expect(await isUsable(id)).toBe(false);
    await world.payOverdue();
    await syncSubscription(deps(), id);
    expect(await isUsable(id)).toBe(true);
  });

  it("is suspended once its payment is refunded, until the next payment", async () => {
    const id = await subscribed();
    await book(await lastInvoiceOf(id));
    const chargeId = await world.chargeOf(id);
    await world.refund(chargeId);
    await reviewCharge(deps(), chargeId);
    expect(await isUsable(id)).toBe(false);
    await world.changePrice(id);
    await syncSubscription(deps(), id);
    expect(await isUsable(id)).toBe(false);
    await world.advance(id);
    await syncSubscription(deps(), id);
    expect(await isUsable(id)).toBe(true);
  });
});
