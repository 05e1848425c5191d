import { eq, type SQL, sql } from "drizzle-orm";
import { afterEach, beforeEach } from "vitest";
import { subscriptions, teams } from "#src/db/schema/index.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import { createLog } from "#src/platform/log/log.ts";
import { startTestStripe, type TestStripe } from "#test/stand-ins/support/stripe.ts";
import { fileDatabase } from "#test/support/database.ts";
import { keptQueue } from "#test/support/kept-queue.ts";
import { BILLING, newPayer, type Payer, paymentsAt, standingOf, teamOf } from "./payer.ts";

/** One database for the tests of a file, and a stand-in for the provider with one payer for each test. */
export async function withPayer() {
  const { db } = await fileDatabase();
  let stripe: TestStripe;
  let payments: Payments;
  let payer: Payer;
  beforeEach(async () => {
    stripe = await startTestStripe();
    payments = paymentsAt(stripe);
    payer = await newPayer(db, payments);
  });
  afterEach(() => stripe.close());
  const { queue, published } = keptQueue();
  const lastInvoiceOf = async (id: string) => (await payments.getSubscription(id))?.latestInvoiceId ?? "";

  return {
    published,
    db,
    get stripe() {
      return stripe;
    },
    get payments() {
      return payments;
    },
    get payer() {
      return payer;
    },
    deps: (change: { payments?: Payments; config?: Partial<typeof BILLING> } = {}) => ({
      db,
      payments: change.payments ?? payments,
      stripe,
      queue,
      log: createLog(),
      config: { ...BILLING, ...change.config },
    }),
    team: () => teamOf(db, payer),
    /** The tier and the bundled credits. */
    standing: () => standingOf(db, payer),
    setTeam: (values: Partial<typeof teams.$inferInsert>) =>
      db.update(teams).set(values).where(eq(teams.id, payer.teamId)),
    setSubscription: (
      id: string,
      values: Partial<Record<"periodEnd" | "observedAt" | "pastDueSince", SQL>>,
    ) => db.update(subscriptions).set(values).where(eq(subscriptions.subscriptionId, id)),
    lastInvoiceOf,
    /** The charge of a subscription's current payment. */
    async chargeOf(subscription: string) {
      const invoice = await payments.getInvoice(await lastInvoiceOf(subscription));
      return (await payments.getPaymentIntent(invoice?.paymentIntentId ?? ""))?.chargeId ?? "";
    },
    /** A period passes. */
    advance: (subscription: string) => stripe.control(`subscriptions/${subscription}/advance`),
    /** Changes a subscription's price. With the price that it has already, Stripe makes an invoice of nothing. */
    async changePrice(id: string, priceId?: string) {
      const { item } = (await payments.getSubscription(id)) ?? {};
      const price = { itemId: item?.id ?? "", priceId: priceId ?? item?.priceId ?? "" };
      await payments.changeSubscription(id, { price }, crypto.randomUUID());
    },
    cardFails: () => stripe.control(`customers/${payer.customerId}/card`, { card: "fails" }),
    /** The payer gives another card in the portal, with which what is due is paid. */
    async payOverdue() {
      const portal = await payments.createPortalSession(
        { customerId: payer.customerId, returnUrl: "https://service.test" },
        "portal",
      );
      await fetch(`${portal}/card`, { method: "POST", body: new URLSearchParams({ card: "works" }) });
    },
    refund: (charge: string, amount?: number) =>
      stripe.control(`charges/${charge}/refund`, amount === undefined ? {} : { amount }),
    /** Returns the id of the dispute. */
    async dispute(charge: string) {
      await stripe.control(`charges/${charge}/dispute`);
      const disputes = await stripe.list<{ id: string; charge: string }>("objects/dispute");
      return disputes.find((each) => each.charge === charge)?.id ?? "";
    },
  };
}

export const ago = (interval: string) => sql`now() - ${interval}::interval`;
