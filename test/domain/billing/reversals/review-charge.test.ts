import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkouts, teams } from "#src/db/schema/index.ts";
import { reviewCharge, reviewDispute } from "#src/domain/billing/reversals/index.ts";
import { bookInvoice, syncSubscription } from "#src/domain/billing/subscriptions/index.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import { startTestStripe, type TestStripe } from "#test/local/support/stripe.ts";
import { openDatabase } from "#test/support/database.ts";
import {
  BILLING,
  bookSale,
  buyCredits,
  newPayer,
  type Payer,
  paymentsAt,
  queueKeeping,
  standingOf,
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
afterEach(() => stripe.close());

const { queue } = queueKeeping();
const deps = () => ({ db: database.db, payments, stripe, queue, config: BILLING });
const review = (chargeId: string) => reviewCharge(deps(), chargeId);
const refund = (chargeId: string, amount?: number) =>
  stripe.control(`charges/${chargeId}/refund`, amount === undefined ? {} : { amount });
const purchased = async () => (await teamOf(database.db, payer)).purchasedCredits;
const leave = (credits: number) =>
  database.db.update(teams).set({ purchasedCredits: credits }).where(eq(teams.id, payer.teamId));
const statusOf = async (id: string) =>
  (await database.db.select().from(checkouts).where(eq(checkouts.id, id)))[0]?.status;

async function dispute(chargeId: string): Promise<string> {
  await stripe.control(`charges/${chargeId}/dispute`);
  const disputes = await stripe.list<{ id: string; charge: string }>("objects/dispute");
  return disputes.find(({ charge }) => charge === chargeId)?.id ?? "";
}

describe("a refund", () => {
  it("takes back credits in proportion, once, and then the rest", async () => {
    const { chargeId, checkoutId, transactionId } = await buyCredits(deps(), payer, 2_500);
    await review(chargeId);
    expect(await purchased()).toBe(2_500);
    await refund(chargeId, 1_000);
    await Promise.all([review(chargeId), review(chargeId), review(chargeId)]);
    expect(await purchased()).toBe(1_500);
    expect(await statusOf(checkoutId)).toBe("paid");
    await refund(chargeId);
    await review(chargeId);
    expect(await purchased()).toBe(0);
    expect(await statusOf(checkoutId)).toBe("refunded");
    expect(await transactionsOf(database.db, payer)).toMatchObject([
      { id: transactionId, amountCents: 2_500, reversedCents: 2_500, reversedCredits: 2_500 },
      { type: "refund", amountCents: -1_000, credits: -1_000, reversesId: transactionId },
      { type: "refund", amountCents: -1_500, credits: -1_500, reversesId: transactionId },
    ]);
  });

  it("takes no more credits than are left, and the rest once there are credits again", async () => {
    const { chargeId, transactionId } = await buyCredits(deps(), payer, 500);
    await leave(100);
    await refund(chargeId);
    await review(chargeId);
    expect(await purchased()).toBe(0);
    await leave(1_000);
    await review(chargeId);
    expect(await purchased()).toBe(600);
    await review(chargeId);
    expect(await purchased()).toBe(600);
    expect((await transactionsOf(database.db, payer)).find(({ id }) => id === transactionId)).toMatchObject({
      reversedCents: 500,
      reversedCredits: 500,
    });
  });

  it("ends a deployment slot only when all of it is back", async () => {
    const sale = { type: "deploy_purchase", item: "slot", amountCents: 1_000 } as const;
    const { chargeId } = await bookSale(deps(), payer, sale, { type: "deploy_purchase" });
    await database.db.update(teams).set({ deploySlots: 1 }).where(eq(teams.id, payer.teamId));
    await refund(chargeId, 400);
    await review(chargeId);
    expect((await teamOf(database.db, payer)).deploySlots).toBe(1);
    await refund(chargeId);
    await review(chargeId);
    await review(chargeId);
    expect((await teamOf(database.db, payer)).deploySlots).toBe(0);
  });

  it("of a subscription's current payment ends the tier until the next one", async () => {
    const id = await subscribeAt(deps(), payer, "price_pro");
    await syncSubscription(deps(), id);
    const invoiceId = (await payments.getSubscription(id))?.latestInvoiceId ?? "";
    await bookInvoice(deps(), invoiceId);
    const { paymentIntentId = "" } = (await payments.getInvoice(invoiceId)) ?? {};
    const chargeId = (await payments.getPaymentIntent(paymentIntentId))?.chargeId ?? "";
    await refund(chargeId);
    await review(chargeId);
    expect(await standingOf(database.db, payer)).toEqual(["free", 0]);
    await syncSubscription(deps(), id);
    expect(await standingOf(database.db, payer)).toEqual(["free", 0]);
    await stripe.control(`subscriptions/${id}/advance`);
    await syncSubscription(deps(), id);
    expect(await standingOf(database.db, payer)).toEqual(["pro", 2_000]);
  });

  it("of a payment that is not booked yet is refused until it is; that of another service is left out", async () => {
    const { chargeId } = await buyCredits(deps(), payer, 500);
    const [booked] = await transactionsOf(database.db, payer);
    await database.db.execute(`DELETE FROM transactions WHERE id = '${booked?.id ?? ""}'`);
    await refund(chargeId);
    await expect(review(chargeId)).rejects.toMatchObject({ code: "not_ready" });
    await database.db.update(teams).set({ stripeCustomerId: null }).where(eq(teams.id, payer.teamId));
    await database.db.execute(`DELETE FROM checkouts WHERE team_id = '${payer.teamId}'`);
    await expect(review(chargeId)).resolves.toBeUndefined();
  });
});

describe("a dispute", () => {
  it("takes back what was bought while it is open, and restores it when it is won", async () => {
    const { chargeId, checkoutId } = await buyCredits(deps(), payer, 500);
    const id = await dispute(chargeId);
    await reviewDispute(deps(), id);
    await review(chargeId);
    expect(await purchased()).toBe(0);
    await stripe.control(`disputes/${id}/close`, { outcome: "won" });
    await reviewDispute(deps(), id);
    await reviewDispute(deps(), id);
    expect(await purchased()).toBe(500);
    expect(await statusOf(checkoutId)).toBe("paid");
    expect((await transactionsOf(database.db, payer)).map(({ type, credits }) => [type, credits])).toEqual([
      ["credit_purchase", 500],
      ["refund", -500],
      ["restored", 500],
    ]);
  });

  it("of which no event comes is found with its charge", async () => {
    const { chargeId } = await buyCredits(deps(), payer, 500);
    const id = await dispute(chargeId);
    await review(chargeId);
    expect(await purchased()).toBe(0);
    await stripe.control(`disputes/${id}/close`, { outcome: "won" });
    await review(chargeId);
    expect(await purchased()).toBe(500);
  });

  it("that is lost changes nothing more", async () => {
    const { chargeId } = await buyCredits(deps(), payer, 500);
    const id = await dispute(chargeId);
    await reviewDispute(deps(), id);
    await stripe.control(`disputes/${id}/close`, { outcome: "lost" });
    await reviewDispute(deps(), id);
    expect(await purchased()).toBe(0);
    expect(await transactionsOf(database.db, payer)).toHaveLength(2);
  });

  it("of a subscription's payment takes the tier, and gives it back with its credits when it is won", async () => {
    const subscription = await subscribeAt(deps(), payer, "price_pro");
    await syncSubscription(deps(), subscription);
    const invoiceId = (await payments.getSubscription(subscription))?.latestInvoiceId ?? "";
    await bookInvoice(deps(), invoiceId);
    const { paymentIntentId = "" } = (await payments.getInvoice(invoiceId)) ?? {};
    const id = await dispute((await payments.getPaymentIntent(paymentIntentId))?.chargeId ?? "");
    await reviewDispute(deps(), id);
    expect(await standingOf(database.db, payer)).toEqual(["free", 0]);
    await stripe.control(`disputes/${id}/close`, { outcome: "won" });
    await reviewDispute(deps(), id);
    expect(await standingOf(database.db, payer)).toEqual(["pro", 2_000]);
  });
});
