import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { checkouts, teams, users } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import { settleCheckout } from "#src/domain/billing/checkouts/index.ts";
import type { CheckoutSession, Payments } from "#src/platform/payments/payments.ts";
import { timesAtOnce } from "#test/support/at-once.ts";
import type { Colleague } from "#test/support/colleagues.ts";
import { listAgent } from "#test/support/marketplace.ts";
import { PaymentsWorld } from "../support/payments-world.ts";

const world = await PaymentsWorld.open();
let buyer: Colleague;
beforeEach(async () => {
  buyer = await world.newBuyer();
  await world.control("faults", { faults: [] });
});

type Listed = { id: string; metadata: Record<string, string> };
/** What the provider has of the buyer's team. */
const listed = async (kind: "customer" | "checkout.session") =>
  (await world.account.list<Listed>(`objects/${kind}`)).filter(
    ({ metadata }) => metadata["team_id"] === buyer.personalTeamId,
  );

/** The wish was so long ago. */
const age = (minutes: number) =>
  world.db
    .update(checkouts)
    .set({ createdAt: sql`now() - make_interval(mins => ${minutes})` })
    .where(eq(checkouts.teamId, buyer.personalTeamId));

describe("a wish to pay", () => {
  it("is a row, then a session that names it, with what was wished on session and payment", async () => {
    const { sessionId, url } = await world.buy(buyer);
    const [row, ...others] = await world.checkoutsOf(buyer);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      type: "credit_purchase",
      item: "small",
      amountCents: 500,
      credits: 500,
      status: "pending",
      sessionId,
      sessionUrl: url,
    });
    const metadata = {
      checkout_id: row?.id,
      team_id: buyer.personalTeamId,
      user_id: buyer.id,
      type: "credit_purchase",
      amount_cents: "500",
    };
    const [session] = await listed("checkout.session");
    expect(session).toMatchObject({
      client_reference_id: row?.id,
      mode: "payment",
      amount_total: 500,
      currency: "usd",
      metadata,
      success_url: "http://service.test/settings/team/billing?success=true&session_id={CHECKOUT_SESSION_ID}",
      cancel_url: "http://service.test/settings/team/billing?cancelled=true",
    });
    await world.control(`sessions/${sessionId}/pay`);
    const paid = await world.payments.getCheckoutSession(sessionId);
    const intent = await world.payments.getPaymentIntent(paid?.paymentIntentId ?? "");
    expect(intent?.metadata).toEqual(metadata);
  });

  it("gets its open session again for half an hour, and another wish another one", async () => {
    const first = await world.buy(buyer);
    await age(29);
    expect(await world.buy(buyer)).toEqual(first);
    expect((await world.buy(buyer, "medium")).sessionId).not.toBe(first.sessionId);
    await age(31);
    expect((await world.buy(buyer)).sessionId).not.toBe(first.sessionId);
  });

  it("for what is bought once gets its session again while that is open, and another one by the month", async () => {
    const agentId = newId();
    const wish = (more?: { interval: "month" }) => world.checkoutOfAgent(buyer, agentId, more);
    const once = await wish();
    await age(100);
    expect(await wish()).toEqual(once);
    const monthly = await wish({ interval: "month" });
    expect(monthly.sessionId).not.toBe(once.sessionId);
    await world.control(`sessions/${once.sessionId}/pay`, { later: true });
    await age(60 * 24 * 3);
    await expect(wish()).rejects.toMatchObject({ code: "conflict" });
  });

  it("gets a new session once the earlier one is promised, paid or expired, also before that is noticed", async () => {
    const shown: string[] = [];
    for (const [act, body] of [["pay", { later: true }], ["pay"], ["expire"]] as const) {
      const { sessionId } = await world.buy(buyer);
      shown.push(sessionId);
      await world.control(`sessions/${sessionId}/${act}`, body);
    }
    shown.push((await world.buy(buyer)).sessionId);
    expect(new Set(shown).size).toBe(4);
    expect(await world.team(buyer)).toMatchObject({ purchasedCredits: 500 });
    const statuses = (await world.checkoutsOf(buyer)).map(({ status }) => status);
    expect(statuses).toEqual(["pending", "expired", "paid", "pending"]);
  });

  it("is one customer and one session when it comes many times at once, also at a slow provider", async () => {
    const faults = ["POST customers", "POST checkout/sessions"].map((call) => ({ call, delay: 100 }));
    await world.control("faults", { faults });
    const { done, refused } = await timesAtOnce(10, () => world.buy(buyer));
    const { sessionId } = await world.buy(buyer);
    expect(new Set(done.map((each) => each.sessionId))).toEqual(new Set([sessionId]));
    // One that waited too long for another with the same key is told to try again.
    for (const reason of refused) expect(reason).toMatchObject({ code: "unavailable" });
    expect(await listed("customer")).toMatchObject([{ id: (await world.team(buyer)).stripeCustomerId }]);
    expect(await listed("checkout.session")).toHaveLength(1);
    expect(await world.checkoutsOf(buyer)).toHaveLength(1);
  });
});

describe("a provider that fails", () => {
  it.each([
    ["fails after the effect", { status: 500, effect: true, times: 9 }, "provider_failed"],
    ["breaks off", { lost: true, times: 9 }, "unavailable"],
  ])("grants and blocks nothing when it %s", async (_, fault, code) => {
    for (const call of ["POST customers", "POST checkout/sessions"]) {
      await world.control("faults", { faults: [{ ...fault, call }] });
      await expect(world.buy(buyer)).rejects.toMatchObject({ name: "AppError", code });
      await world.control("faults", { faults: [] });
    }
    const { sessionId } = await world.buy(buyer);
    await world.control(`sessions/${sessionId}/pay`);
    await world.buy(buyer);
    expect(await world.team(buyer)).toMatchObject({ purchasedCredits: 500 });
  });

  it("says that payments are not configured where there is none", async () => {
    const message = "Payments are not configured on this installation";
    const bought = world.buy(buyer, "small", world.deps({ payments: undefined }));
    await expect(bought).rejects.toMatchObject({ code: "unavailable", message });
  });
});

it("of a deleted team is refused", async () => {
  await world.db.delete(teams).where(eq(teams.id, buyer.personalTeamId));
  await expect(world.buy(buyer)).rejects.toMatchObject({ code: "not_found" });
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
      const { sessionId } = await world.checkoutOfAgent(buyer, agent.id);
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
