import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkouts, teams } from "#src/db/schema/index.ts";
import { createCheckout } from "#src/domain/billing/checkouts/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { Colleague } from "#test/support/colleagues.ts";
import { PaymentsWorld } from "../support/payments-world.ts";

let world: PaymentsWorld;
let buyer: Colleague;
beforeAll(async () => {
  world = await PaymentsWorld.open();
});
beforeEach(async () => {
  buyer = await world.newBuyer();
  await world.control("faults", { faults: [] });
});
afterAll(() => world.close());

const customersOf = async ({ personalTeamId }: Colleague) =>
  (await world.account.list<{ id: string; metadata: Record<string, string> }>("objects/customer")).filter(
    ({ metadata }) => metadata["team_id"] === personalTeamId,
  );

const sessionsOf = async ({ personalTeamId }: Colleague) =>
  (
    await world.account.list<{ id: string; metadata: Record<string, string> }>("objects/checkout.session")
  ).filter(({ metadata }) => metadata["team_id"] === personalTeamId);

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
    const [session] = await sessionsOf(buyer);
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
    const wish = {
      userId: buyer.id,
      teamId: buyer.personalTeamId,
      returnOrigin: "http://service.test",
      type: "agent_purchase",
      item: newId(),
      name: "Agent",
      amountCents: 500,
      currency: "usd",
      metadata: {},
      paths: { success: "/success", cancel: "/back" },
    } as const;
    const once = await createCheckout(world.deps(), wish);
    await age(100);
    expect(await createCheckout(world.deps(), wish)).toEqual(once);
    const monthly = await createCheckout(world.deps(), { ...wish, interval: "month" });
    expect(monthly.sessionId).not.toBe(once.sessionId);
    await world.control(`sessions/${once.sessionId}/pay`, { later: true });
    await age(60 * 24 * 3);
    await expect(createCheckout(world.deps(), wish)).rejects.toMatchObject({ code: "conflict" });
  });

  it("gets a new session once the earlier one is paid or expired, also before that is noticed", async () => {
    const first = await world.buy(buyer);
    await world.control(`sessions/${first.sessionId}/pay`);
    const second = await world.buy(buyer);
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(await world.team(buyer)).toMatchObject({ purchasedCredits: 500 });
    await world.control(`sessions/${second.sessionId}/expire`);
    expect((await world.buy(buyer)).sessionId).not.toBe(second.sessionId);
    expect((await world.checkoutsOf(buyer)).map(({ status }) => status)).toEqual([
      "pending",
      "expired",
      "paid",
    ]);
  });

  it("gets a new session however many payments for the same are promised and on their way", async () => {
    const shown = new Set<string>();
    for (let promised = 1; promised <= 6; promised += 1) {
      const { sessionId } = await world.buy(buyer);
      await world.control(`sessions/${sessionId}/pay`, { later: true });
      shown.add(sessionId);
    }
    expect(shown.size).toBe(6);
    for (const sessionId of shown) await world.control(`sessions/${sessionId}/pay`);
    expect(await sessionsOf(buyer)).toHaveLength(6);
  });

  it.each([
    ["", []],
    [
      ", also at a slow provider",
      ["POST customers", "POST checkout/sessions"].map((call) => ({ call, delay: 300 })),
    ],
  ])("is one customer and one session when it comes twenty times at once%s", async (_, faults) => {
    await world.control("faults", { faults });
    const wishes = await Promise.allSettled(Array.from({ length: 20 }, () => world.buy(buyer)));
    const { sessionId } = await world.buy(buyer);
    // One that waited too long for another with the same key is told to try again.
    const outcomes = wishes.map((wish) =>
      wish.status === "fulfilled"
        ? wish.value.sessionId
        : wish.reason instanceof AppError
          ? wish.reason.code
          : wish.reason,
    );
    expect(["unavailable", sessionId]).toEqual(expect.arrayContaining(outcomes));
    expect(await customersOf(buyer)).toMatchObject([{ id: (await world.team(buyer)).stripeCustomerId }]);
    expect(await sessionsOf(buyer)).toHaveLength(1);
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
    await expect(world.buy(buyer, "small", world.deps({ payments: undefined }))).rejects.toMatchObject({
      code: "unavailable",
      message: "Payments are not configured on this installation",
    });
  });
});

it("of a deleted team is refused", async () => {
  await world.db.delete(teams).where(eq(teams.id, buyer.personalTeamId));
  await expect(world.buy(buyer)).rejects.toMatchObject({ code: "not_found" });
});
