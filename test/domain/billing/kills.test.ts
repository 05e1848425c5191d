import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { payouts } from "#src/db/schema/index.ts";
import { settleCheckout } from "#src/domain/billing/checkouts/index.ts";
import { payCreator } from "#src/domain/billing/payouts/index.ts";
import { reviewCharge } from "#src/domain/billing/reversals/index.ts";
import { bookInvoice, syncSubscription } from "#src/domain/billing/subscriptions/index.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { killedEverywhere } from "#test/support/mortal.ts";
import {
  BILLING,
  buyAgent,
  buyCredits as bookCredits,
  newPaidAgent,
  newPayer,
  onboard,
  standingOf,
  subscribeAt,
  subscribeToAgent,
  teamOf,
  transactionsOf,
} from "./support/payer.ts";
import { PaymentsWorld } from "./support/payments-world.ts";

const world = await PaymentsWorld.open();

/** What is needed to sell things at the stand-in. */
const shop = () => ({ db: world.db, payments: world.payments, stripe: world.account });

describe("a payment counts once when the program is killed at any of its calls", () => {
  it("of opening a page to pay, which is opened again", async () => {
    const calls = await killedEverywhere(async () => {
      const buyer = await world.newBuyer();
      const after = async () => {
        const { sessionId } = await world.buy(buyer);
        await world.control(`sessions/${sessionId}/pay`);
        // Those of which nothing is known but the row are settled by it, too.
        const rows = await world.checkoutsOf(buyer);
        for (const { sessionId: session } of rows) if (session) await settleCheckout(world.deps(), session);
        const { purchasedCredits, stripeCustomerId } = await world.team(buyer);
        expect(purchasedCredits).toBe(500);
        expect(await world.transactionsOf(buyer)).toMatchObject([{ credits: 500 }]);
        const customers = await world.account.list<{ id: string; metadata: object }>("objects/customer");
        const own = customers.filter(
          ({ metadata }) => fieldsOf(metadata)["team_id"] === buyer.personalTeamId,
        );
        expect(own).toMatchObject([{ id: stripeCustomerId }]);
      };
      return { program: () => world.buy(buyer), after };
    });
    expect(calls).toBeGreaterThanOrEqual(4);
  });

  it("of settling it, which is repeated by the next event or the sweep", async () => {
    const calls = await killedEverywhere(async () => {
      const buyer = await world.newBuyer();
      const { sessionId } = await world.buy(buyer);
      await world.control(`sessions/${sessionId}/pay`);
      const after = async () => {
        await settleCheckout(world.deps(), sessionId);
        expect((await world.team(buyer)).purchasedCredits).toBe(500);
        expect(await world.transactionsOf(buyer)).toHaveLength(1);
        expect(await world.checkoutsOf(buyer)).toMatchObject([{ status: "paid" }]);
        expect(await world.auditOf(buyer)).toMatchObject([{ action: "payment.received" }]);
      };
      return { program: () => settleCheckout(world.deps(), sessionId), after };
    });
    expect(calls).toBeGreaterThanOrEqual(3);
  });

  it("of reading a subscription", async () => {
    const calls = await killedEverywhere(async () => {
      const payer = await newPayer(world.db, world.payments);
      const subscription = await subscribeAt(shop(), payer, "price_pro");
      const program = () => syncSubscription(subscriptionDeps(), subscription);
      const after = async () => {
        await program();
        expect(await standingOf(world.db, payer)).toEqual(["pro", 2_000]);
      };
      return { program, after };
    });
    expect(calls).toBeGreaterThanOrEqual(2);
  });

  it("of booking an invoice, whose share is to be paid out once", async () => {
    const calls = await killedEverywhere(async () => {
      const payer = await newPayer(world.db, world.payments);
      const agent = await newPaidAgent(world.db, 300);
      const subscription = await subscribeToAgent(shop(), payer, agent);
      const invoices = await world.account.list<{ id: string; customer: string }>("objects/invoice");
      const invoice = invoices.find(({ customer }) => customer === payer.customerId)?.id ?? "";
      const after = async () => {
        await bookInvoice(subscriptionDeps(), invoice);
        await syncSubscription(subscriptionDeps(), subscription);
        const booked = await transactionsOf(world.db, payer);
        expect(booked).toMatchObject([{ amountCents: 300, creatorCents: 270, invoiceId: invoice }]);
        expect(await payoutsOf(booked[0]?.id ?? "")).toMatchObject([{ amountCents: 270 }]);
      };
      return { program: () => bookInvoice(subscriptionDeps(), invoice), after };
    });
    expect(calls).toBeGreaterThanOrEqual(3);
  });

  it("of taking back what was refunded", async () => {
    const calls = await killedEverywhere(async () => {
      const payer = await newPayer(world.db, world.payments);
      const { chargeId } = await bookCredits(shop(), payer, 2_500);
      await world.control(`charges/${chargeId}/refund`, { amount: 1_000 });
      const after = async () => {
        await reviewCharge(subscriptionDeps(), chargeId);
        expect((await teamOf(world.db, payer)).purchasedCredits).toBe(1_500);
        const moved = await transactionsOf(world.db, payer);
        expect(moved.reduce((sum, { credits }) => sum + credits, 0)).toBe(1_500);
      };
      return { program: () => reviewCharge(subscriptionDeps(), chargeId), after };
    });
    expect(calls).toBeGreaterThanOrEqual(2);
  });

  it("of sending a creator's share, and of taking it back", async () => {
    const sent = await killedEverywhere(async () => {
      const { program, transfers, transactionId } = await sell();
      const after = async () => {
        await program();
        expect(await transfers()).toMatchObject([{ amount: 450, amount_reversed: 0 }]);
        const [payout] = await payoutsOf(transactionId);
        expect(payout).toMatchObject({ status: "paid" });
        const entries = await auditEntries(world.db, { userId: payout?.creatorId ?? "" });
        expect(entries.map(({ action }) => action)).toEqual(["payout.account_connected", "payout.sent"]);
      };
      return { program, after };
    });
    expect(sent).toBeGreaterThanOrEqual(5);
    const takenBack = await killedEverywhere(async () => {
      const { program, transfers, chargeId } = await sell();
      await program();
      await world.control(`charges/${chargeId}/refund`);
      const refund = async () => {
        await reviewCharge(subscriptionDeps(), chargeId);
        await program();
      };
      const after = async () => {
        await refund();
        expect(await transfers()).toMatchObject([{ amount: 450, amount_reversed: 450 }]);
      };
      return { program: refund, after };
    });
    expect(takenBack).toBeGreaterThanOrEqual(4);
  });
});

/** As the service has them, with the prices of the stand-in. */
const subscriptionDeps = () => ({ ...world.deps(), config: { ...world.deps().config, ...BILLING } });

const payoutsOf = (transactionId: string) =>
  world.db.select().from(payouts).where(eq(payouts.transactionId, transactionId));

interface Transfer {
  amount: number;
  amount_reversed: number;
  destination: string;
}

/** A sale of an agent, whose creator may receive the share. */
async function sell() {
  const payer = await newPayer(world.db, world.payments);
  const agent = await newPaidAgent(world.db, 500, "one_time");
  const accountId = await onboard(shop(), agent);
  const sold = await buyAgent(shop(), payer, agent);
  const program = () => payCreator(world.deps(), sold.transactionId);
  const transfers = async () => {
    const all = await world.account.list<Transfer>("objects/transfer");
    return all.filter(({ destination }) => destination === accountId);
  };
  return { ...sold, program, transfers };
}
