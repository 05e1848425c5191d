import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { payouts } from "#src/db/schema/index.ts";
import { bookInvoice, sharesOf } from "#src/domain/billing/subscriptions/index.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import { startTestStripe, type TestStripe } from "#test/local/support/stripe.ts";
import { openDatabase } from "#test/support/database.ts";
import {
  BILLING,
  newPaidAgent,
  newPayer,
  type Payer,
  paymentsAt,
  queueKeeping,
  standingOf,
  subscribeAt,
  subscribeToAgent,
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
afterEach(() => stripe.close());

const parts = () => ({ db: database.db, payments, stripe });
const { queue, published } = queueKeeping();
const book = (invoiceId: string) =>
  bookInvoice({ db: database.db, payments, queue, config: BILLING }, invoiceId);
const lastInvoiceOf = async (id: string) => (await payments.getSubscription(id))?.latestInvoiceId ?? "";

describe("an invoice of a subscription", () => {
  it("is booked once, however often and at once it is heard of, also before the subscription", async () => {
    const id = await subscribeAt(parts(), payer, "price_pro");
    const invoiceId = await lastInvoiceOf(id);
    const booked = await Promise.all(Array.from({ length: 6 }, () => book(invoiceId)));
    expect(booked.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect((await standingOf(database.db, payer))[0]).toBe("pro");
    const { paymentIntentId } = (await payments.getInvoice(invoiceId)) ?? {};
    expect(await transactionsOf(database.db, payer)).toMatchObject([
      {
        type: "subscription",
        amountCents: 4_900,
        creatorCents: 0,
        platformCents: 4_900,
        currency: "usd",
        userId: payer.id,
        subscriptionId: id,
        invoiceId,
        paymentIntentId,
      },
    ]);
  });

  it("is booked for each period", async () => {
    const id = await subscribeAt(parts(), payer, "price_basic");
    await book(await lastInvoiceOf(id));
    await stripe.control(`subscriptions/${id}/advance`);
    await book(await lastInvoiceOf(id));
    expect((await transactionsOf(database.db, payer)).map((each) => each.amountCents)).toEqual([
      2_000, 2_000,
    ]);
  });

  it("is not booked while it is unpaid, nor when it is unknown", async () => {
    const id = await subscribeAt(parts(), payer, "price_basic");
    await stripe.control(`customers/${payer.customerId}/card`, { card: "fails" });
    await stripe.control(`subscriptions/${id}/advance`);
    expect(await book(await lastInvoiceOf(id))).toEqual({ isNew: false });
    expect(await book("in_unknown")).toEqual({ isNew: false });
    expect(await transactionsOf(database.db, payer)).toEqual([]);
  });

  it("for an agent has the share of its creator, to be paid out", async () => {
    const agent = await newPaidAgent(database.db, 333);
    const id = await subscribeToAgent(parts(), payer, agent);
    await book(await lastInvoiceOf(id));
    const [transaction] = await transactionsOf(database.db, payer);
    expect(transaction).toMatchObject({
      agentId: agent.id,
      creatorId: agent.creator.id,
      creatorCents: 299,
      platformCents: 34,
    });
    const shares = await database.db
      .select()
      .from(payouts)
      .where(eq(payouts.transactionId, transaction?.id ?? ""));
    expect(shares).toMatchObject([{ creatorId: agent.creator.id, amountCents: 299, status: "pending" }]);
    expect(published).toContainEqual({
      function: "pay-creator",
      payload: { transactionId: transaction?.id },
    });
  });
});

it.each([
  [1, 0.9, 0],
  [500, 0.9, 450],
  [100, 0.29, 29],
  [99_900, 1, 99_900],
  [99_900, 0, 0],
])(
  "the share of %d cents at %d is %d, rounded down, and the rest is the service's",
  (amount, share, expected) => {
    const { creatorCents, platformCents } = sharesOf(amount, { CREATOR_REVENUE_SHARE: share });
    expect([creatorCents, platformCents]).toEqual([expected, amount - expected]);
  },
);
