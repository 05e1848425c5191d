import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { checkouts, teams } from "#src/db/schema/index.ts";
import { createCheckout } from "#src/domain/billing/checkouts/index.ts";
import { newId } from "#src/lib/ids.ts";
import { timesAtOnce } from "#test/support/at-once.ts";
import type { Colleague } from "#test/support/colleagues.ts";
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
