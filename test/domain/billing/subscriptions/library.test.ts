import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { libraryAgents, subscriptions } from "#src/db/schema/index.ts";
import { reviewCharge } from "#src/domain/billing/reversals/index.ts";
import { bookInvoice, syncSubscription } from "#src/domain/billing/subscriptions/index.ts";
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
  subscribeToAgent,
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

async function subscribed(): Promise<string> {
  const id = await subscribeToAgent(deps(), payer, await newPaidAgent(database.db, 300));
  await syncSubscription(deps(), id);
  return id;
}

/** Whether the team may use the agent of a subscription, as the right is stored. */
async function isUsable(id: string): Promise<boolean> {
  const rows = await database.db
    .select({ usable: sql<boolean>`ended_at IS NULL AND expires_at > now()` })
    .from(libraryAgents)
    .where(eq(libraryAgents.subscriptionId, id));
  return rows[0]?.usable ?? false;
}

describe("a subscription to an agent", () => {
  it("gives the agent until it ends, and no tier", async () => {
    const id = await subscribed();
    expect(await isUsable(id)).toBe(true);
    expect(await standingOf(database.db, payer)).toEqual(["free", 0]);
    await payments.cancelSubscription(id);
    await syncSubscription(deps(), id);
    expect(await isUsable(id)).toBe(false);
  });

  it("that is overdue keeps the agent for the days of grace, and gives it back once it is paid", async () => {
    const id = await subscribed();
    await stripe.control(`customers/${payer.customerId}/card`, { card: "fails" });
    await stripe.control(`subscriptions/${id}/advance`);
    await syncSubscription(deps(), id);
    expect(await isUsable(id)).toBe(true);
    await database.db
      .update(subscriptions)
      .set({ pastDueSince: sql`now() - interval '8 days'` })
      .where(eq(subscriptions.subscriptionId, id));
    await syncSubscription(deps(), id);
    expect(await isUsable(id)).toBe(false);
    const portal = await payments.createPortalSession(
      { customerId: payer.customerId, returnUrl: "https://service.test" },
      "portal",
    );
    await fetch(`${portal}/card`, { method: "POST", body: new URLSearchParams({ card: "works" }) });
    await syncSubscription(deps(), id);
    expect(await isUsable(id)).toBe(true);
  });

  it("is suspended once its payment is refunded, until the next payment", async () => {
    const id = await subscribed();
    const invoiceId = (await payments.getSubscription(id))?.latestInvoiceId ?? "";
    await bookInvoice(deps(), invoiceId);
    const { paymentIntentId = "" } = (await payments.getInvoice(invoiceId)) ?? {};
    const chargeId = (await payments.getPaymentIntent(paymentIntentId))?.chargeId ?? "";
    await stripe.control(`charges/${chargeId}/refund`);
    await reviewCharge(deps(), chargeId);
    expect(await isUsable(id)).toBe(false);
    await stripe.control(`subscriptions/${id}/advance`);
    await syncSubscription(deps(), id);
    expect(await isUsable(id)).toBe(true);
  });
});
