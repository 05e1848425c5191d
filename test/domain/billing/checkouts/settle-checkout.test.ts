import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { checkouts, teams, users } from "#src/db/schema/index.ts";
import { createCheckout, settleCheckout } from "#src/domain/billing/checkouts/index.ts";
import type { CheckoutSession, Payments } from "#src/platform/payments/payments.ts";
import type { Colleague } from "#test/support/colleagues.ts";
import { listAgent } from "#test/support/marketplace.ts";
import { PaymentsWorld } from "../support/payments-world.ts";

const world = await PaymentsWorld.open();
let buyer: Colleague;
beforeEach(async () => {
  buyer = await world.newBuyer();
  await world.control("faults", { faults: [] });
});

const settle = (sessionId: string) => settleCheckout(world.deps(), sessionId);

/** What the team has been granted, and what is on record about it. */
const granted = async (team = buyer) => ({
  credits: (await world.team(team)).purchasedCredits,
  transactions: (await world.transactionsOf(team)).length,
  entries: (await world.auditOf(team)).length,
  statuses: (await world.checkoutsOf(team)).map(({ status }) => status),
});

/** The provider, whose sessions are changed on the way. */
const lying = (change: Partial<CheckoutSession>): Payments => ({
  ...world.payments,
  getCheckoutSession: async (id) => {
    const session = await world.payments.getCheckoutSession(id);
    return session && { ...session, ...change };
  },
});

const NOTHING = { credits: 0, transactions: 0, entries: 0 };

describe("a session that is paid", () => {
  it("adds its credits, one transaction and an entry in the team's log", async () => {
    const { sessionId } = await world.buy(buyer);
    await world.control(`sessions/${sessionId}/pay`);
    expect(await settle(sessionId)).toMatchObject({ state: "paid", isNew: true });
    expect(await granted()).toEqual({ credits: 500, transactions: 1, entries: 1, statuses: ["paid"] });
    const session = await world.payments.getCheckoutSession(sessionId);
    const intent = await world.payments.getPaymentIntent(session?.paymentIntentId ?? "");
    const [type, userId, currency] = ["credit_purchase", buyer.id, "usd"];
    const whole = { amountCents: 500, platformCents: 500, creatorCents: 0, credits: 500 };
    const payment = { paymentIntentId: intent?.id, chargeId: intent?.chargeId };
    expect(await world.transactionsOf(buyer)).toMatchObject([
      { type, userId, currency, ...whole, ...payment },
    ]);
    const details = { type, item: "small", amount_cents: 500, currency, credits: 500 };
    expect(await world.auditOf(buyer)).toMatchObject([{ action: "payment.received", userId, details }]);
  });

  it("has the share of the creator sent at once, and nothing sent without a creator", async () => {
    const seller = await world.newBuyer();
    const made = { teamId: seller.personalTeamId, createdBy: seller.id };
    const price = { pricingType: "one_time", priceCents: 500 } as const;
    /** Returns the transaction of a sale that is settled twice at once, and what was published for it. */
    const sell = async (values: Parameters<typeof listAgent>[1]) => {
      const agent = await listAgent(world.db, { ...price, ...values });
      const { sessionId } = await createCheckout(world.deps(), {
        userId: buyer.id,
        teamId: buyer.personalTeamId,
        returnOrigin: "http://service.test",
        type: "agent_purchase",
        item: agent.id,
        name: agent.name,
        amountCents: 500,
        currency: "usd",
        metadata: { agent_id: agent.id },
        paths: { success: "/success", cancel: "/cancel" },
      });
      await world.control(`sessions/${sessionId}/pay`);
      world.published.splice(0);
      await Promise.all([settle(sessionId), settle(sessionId)]);
      const sale = (await world.transactionsOf(buyer)).find(({ agentId }) => agentId === agent.id);
      return { transactionId: sale?.id, published: world.published.splice(0) };
    };
    const { transactionId, published } = await sell(made);
    expect(published).toMatchObject([{ function: "pay-creator", payload: { key: transactionId } }]);
    expect((await sell({})).published).toEqual([]);
  });

  it("counts once, however often and however many at once ask", async () => {
    const { sessionId } = await world.buy(buyer);
    await world.control(`sessions/${sessionId}/pay`);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => settle(sessionId)));
    expect(outcomes.filter((outcome) => outcome?.isNew)).toHaveLength(1);
    expect(new Set(outcomes.map((outcome) => outcome?.state))).toEqual(new Set(["paid"]));
    expect(await settle(sessionId)).toMatchObject({ state: "paid", isNew: false });
    expect(await granted()).toMatchObject({ credits: 500, transactions: 1, entries: 1 });
  });

  it("counts when its row has no session yet, or was given up before", async () => {
    for (const known of [{ sessionId: null, status: "open" }, { status: "expired" }] as const) {
      const { sessionId } = await world.buy(buyer);
      await world.control(`sessions/${sessionId}/pay`);
      await world.db.update(checkouts).set(known).where(eq(checkouts.sessionId, sessionId));
      expect(await settle(sessionId)).toMatchObject({ state: "paid", isNew: true });
    }
    expect(await granted()).toMatchObject({ credits: 1000, transactions: 2 });
  });

  it("counts while the team and its payer are deleted, as money without an owner", async () => {
    const { sessionId } = await world.buy(buyer);
    await world.control(`sessions/${sessionId}/pay`);
    await world.db.delete(teams).where(eq(teams.id, buyer.personalTeamId));
    await world.db.delete(users).where(eq(users.id, buyer.id));
    const settled = await settle(sessionId);
    expect(settled).toMatchObject({ state: "paid", isNew: true, checkout: { teamId: null, userId: null } });
    const [row] = await world.db.select().from(checkouts).where(eq(checkouts.sessionId, sessionId));
    expect(row).toMatchObject({ status: "paid", teamId: null });
  });
});

describe("a session that is not paid", () => {
  it("grants nothing while it is open, and once it has expired", async () => {
    const { sessionId } = await world.buy(buyer);
    for (const [act, state] of [
      ["fail", "pending"],
      ["expire", "expired"],
    ] as const) {
      expect(await settle(sessionId)).toMatchObject({ state: "pending" });
      await world.control(`sessions/${sessionId}/${act}`);
      expect(await settle(sessionId)).toMatchObject({ state });
    }
    expect(await granted()).toEqual({ ...NOTHING, statuses: ["expired"] });
  });

  it("grants nothing while a promised payment is on its way, and follows what becomes of it", async () => {
    const [one, two] = [await world.buy(buyer), await world.buy(buyer, "medium")];
    for (const { sessionId } of [one, two]) {
      await world.control(`sessions/${sessionId}/pay`, { later: true });
      expect(await settle(sessionId)).toMatchObject({ state: "pending" });
    }
    expect(await granted()).toEqual({ ...NOTHING, statuses: ["pending", "pending"] });
    await world.control(`sessions/${one.sessionId}/fail`);
    await world.control(`sessions/${two.sessionId}/pay`);
    expect(await settle(one.sessionId)).toMatchObject({ state: "failed" });
    expect(await settle(two.sessionId)).toMatchObject({ state: "paid", isNew: true });
    expect(await granted()).toMatchObject({ credits: 2500, transactions: 1 });
  });
});

describe("a paid session that is not what the row asked for", () => {
  it.each<[string, Partial<CheckoutSession>, string]>([
    ["mode", { mode: "subscription" }, "The payment is of another kind"],
    ["customer", { customerId: "cus_other" }, "The payment is another customer's"],
    ["currency", { currency: "jpy" }, "The payment is in another currency"],
    ["amount", { amountCents: 499 }, "The payment has another amount"],
    ["reference", { reference: crypto.randomUUID() }, "The payment is for something else"],
  ])("grants nothing: another %s", async (_, change, error) => {
    const { sessionId } = await world.buy(buyer);
    await world.control(`sessions/${sessionId}/pay`);
    const deps = world.deps({ payments: lying(change) });
    expect(await settleCheckout(deps, sessionId)).toMatchObject({ state: "failed", checkout: { error } });
    expect(await granted()).toEqual({ ...NOTHING, statuses: ["failed"] });
  });

  it("grants nothing of another row that it names, and leaves that row alone", async () => {
    const other = await world.newBuyer();
    const mine = await world.buy(buyer);
    const theirs = await world.buy(other, "medium");
    const [row] = await world.checkoutsOf(other);
    await world.control(`sessions/${mine.sessionId}/pay`);
    await world.db.update(checkouts).set({ sessionId: null }).where(eq(checkouts.sessionId, mine.sessionId));
    const deps = world.deps({ payments: lying({ reference: row?.id }) });
    expect(await settleCheckout(deps, mine.sessionId)).toMatchObject({ state: "failed" });
    expect(await granted(other)).toEqual({ ...NOTHING, statuses: ["pending"] });
    await world.control(`sessions/${theirs.sessionId}/pay`);
    expect(await settle(theirs.sessionId)).toMatchObject({ state: "paid", isNew: true });
  });

  it("is not of this service when it names no row", async () => {
    const { sessionId } = await world.buy(buyer);
    await world.db.delete(checkouts).where(eq(checkouts.sessionId, sessionId));
    for (const change of [{}, { reference: undefined }, { reference: "' OR 1=1" }]) {
      expect(await settleCheckout(world.deps({ payments: lying(change) }), sessionId)).toBeUndefined();
    }
    expect(await settle("cs_test_none")).toBeUndefined();
  });
});

it("a provider that fails delays what was paid for, and loses nothing", async () => {
  const { sessionId } = await world.buy(buyer);
  await world.control(`sessions/${sessionId}/pay`);
  for (const call of ["GET checkout/sessions", "GET payment_intents"]) {
    await world.control("faults", { faults: [{ status: 500, times: 9, call }] });
    await expect(settle(sessionId)).rejects.toMatchObject({ name: "AppError", code: "provider_failed" });
  }
  expect(await granted()).toEqual({ ...NOTHING, statuses: ["pending"] });
  await world.control("faults", { faults: [] });
  expect(await settle(sessionId)).toMatchObject({ state: "paid", isNew: true });
  expect(await granted()).toMatchObject({ credits: 500, transactions: 1 });
});
