import { describe, expect, it, vi } from "vitest";
import { billingClient, type BillingClient, PATIENCE } from "#test/support/billing-client.ts";
import { payerOf } from "#test/support/payer.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const payer = payerOf(service);

const priceOf = (tier: "BASIC" | "ULTRA") => service.stack.variables[`STRIPE_${tier}_PRICE_ID`] ?? "";

/** A team that has subscribed to Pro, of which the service knows by the provider's events alone. */
async function newSubscriber() {
  const { owner } = await newTeamClient(service);
  const billing = billingClient(service, owner);
  const { sessionId } = await billing.open("subscribe", { tier: "pro", billing_interval: "monthly" });
  await payer.pay(sessionId);
  const { subscription_id: id } = await billing.becomes({
    tier: "pro",
    status: "active",
    is_active: true,
    bundled_credits: 2_000,
  });
  const advance = () => payer.control(`subscriptions/${String(id)}/advance`);
  return { billing, advance, press: await portalOf(billing, String(id)) };
}

/** Presses the buttons of the portal. */
async function portalOf(billing: BillingClient, subscription: string) {
  const { body } = await billing.call<{ url: string }>("GET", "portal");
  return async (verb: "plan" | "cancel" | "resume", fields: Record<string, string> = {}) => {
    const form = new URLSearchParams({ subscription, ...fields });
    const answer = await fetch(`${body.url}/${verb}`, { method: "POST", body: form, redirect: "manual" });
    expect(answer.status).toBe(303);
  };
}

describe.concurrent("a subscription", () => {
  it("that a team does not have is the free tier, and there is nothing to change; unknown tiers are refused", async () => {
    const { owner } = await newTeamClient(service);
    const { call } = billingClient(service, owner);
    expect(await call("GET", "subscription")).toMatchObject({
      status: 200,
      body: {
        tier: "free",
        is_active: false,
        max_deploys: 1,
        byok_enabled: false,
        support_tier: "community",
      },
    });
    for (const path of ["cancel", "renew"]) {
      expect(await call("POST", path)).toMatchObject({ status: 400, body: { detail: expect.any(String) } });
    }
    expect(await call("POST", "subscribe", { tier: "gold" })).toMatchObject({ status: 400 });
  });

  it("is changed in the portal with its credits, cancelled, resumed, and ends with its period", async () => {
    const { billing, press, advance } = await newSubscriber();
    expect(await billing.call("POST", "subscribe", { tier: "ultra" })).toMatchObject({ status: 400 });
    await press("plan", { price: priceOf("ULTRA") });
    const ultra = { tier: "ultra", max_deploys: 20, bundled_credits: 8_000, byok_enabled: true };
    await billing.becomes({ ...ultra, monthly_allowance: 8_000 });
    await press("plan", { price: priceOf("BASIC") });
    await billing.becomes({ tier: "basic", max_deploys: 3, bundled_credits: 8_000, byok_enabled: false });
    // What the changes cost is in the list of what was paid.
    await vi.waitFor(async () => {
      expect((await billing.call("GET", "transactions")).body).toMatchObject({
        transactions: [
          { type: "subscription", amount_cents: expect.any(Number) },
          { type: "subscription", amount_cents: 4_900 },
        ],
      });
    }, PATIENCE);
    await press("cancel");
    await billing.becomes({ tier: "basic", cancel_at_period_end: true, cancel_at: expect.any(String) });
    await press("resume");
    await billing.becomes({ tier: "basic", cancel_at_period_end: false, cancel_at: null });
    const { sessionId } = await billing.open("credits/purchase", { package: "small" });
    await payer.pay(sessionId);
    expect(await billing.call("POST", "cancel")).toMatchObject({ status: 200 });
    await billing.becomes({ cancel_at_period_end: true, purchased_credits: 500 });
    await advance();
    await billing.becomes({
      tier: "free",
      is_active: false,
      subscription_id: null,
      bundled_credits: 0,
      purchased_credits: 500,
    });
    // It may be subscribed to again.
    await billing.open("subscribe", { tier: "basic" });
  });
});

it("a refund of a pack takes back its part of the credits, then the rest, and is in the lists", async () => {
  const { owner } = await newTeamClient(service);
  const billing = billingClient(service, owner);
  const { sessionId } = await billing.open("credits/purchase", { package: "small" });
  await payer.pay(sessionId);
  await billing.becomes({ purchased_credits: 500 });
  const charge = await payer.chargeOf(sessionId);
  await payer.control(`charges/${charge}/refund`, { amount: 200 });
  await billing.becomes({ purchased_credits: 300 });
  const history = async () => (await billing.call("GET", "credits/history")).body;
  expect(await history()).toMatchObject({ purchases: [{ status: "completed", credits_amount: 500 }] });
  await payer.control(`charges/${charge}/refund`);
  await billing.becomes({ purchased_credits: 0 });
  expect(await history()).toMatchObject({ purchases: [{ status: "refunded", credits_amount: 500 }] });
  expect((await billing.call("GET", "transactions")).body).toMatchObject({
    transactions: [
      { type: "refund", amount_cents: -300, amount_usd: -3 },
      { type: "refund", amount_cents: -200 },
      { type: "credit_purchase", amount_cents: 500, status: "refunded" },
    ],
  });
});
