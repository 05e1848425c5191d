import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { billingClient, PATIENCE } from "#test/support/billing-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent } from "#test/support/marketplace.ts";
import { payerOf, type Payer } from "#test/support/payer.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

// Not the shared service: events are held back for all, their list is for all, and there is no grace.
let service: TestService;
let payer: Payer;
/** The first account of an installation is its administrator. */
let admin: Account;
beforeAll(async () => {
  service = await startService({ BILLING_GRACE_DAYS: "0" });
  payer = payerOf(service);
  admin = await service.signUp("first");
});
afterAll(async () => {
  await service.close();
});

interface EventPage {
  events: { id: string; type: string; object_id: string; attempts: number; error: string | null }[];
  total: number;
}

const events = async (query = "") =>
  (
    await service.call<EventPage>("GET", `/api/admin/billing/events?page_size=200${query}`, {
      token: admin.token,
    })
  ).body;

async function refund(sessionId: string) {
  const session = (await payer.list("objects/checkout.session")).find(({ id }) => id === sessionId);
  const paid = (await payer.list("objects/charge")).find(
    ({ payment_intent: intent }) => intent === session?.["payment_intent"],
  );
  await payer.control(`charges/${String(paid?.["id"])}/refund`);
}

it("what is refunded before the service hears of the payment is not had", async () => {
  const { owner } = await newTeamClient(service);
  const billing = billingClient(service, owner);
  const agent = await listAgent(databaseOf(service), { pricingType: "one_time", priceCents: 700 });
  await payer.control("webhooks/hold");
  const pack = await billing.open("credits/purchase", { package: "small" });
  const { body: sale } = await service.call<{ session_id: string }>(
    "POST",
    `/api/marketplace/agents/${agent.id}/purchase`,
    { token: owner.token },
  );
  for (const sessionId of [pack.sessionId, sale.session_id]) {
    await payer.pay(sessionId);
    await refund(sessionId);
  }
  await payer.control("webhooks/release");
  await vi.waitFor(async () => {
    const { body } = await billing.call<{ transactions: { amount_cents: number; type: string }[] }>(
      "GET",
      "transactions",
    );
    const cents = body.transactions.map(({ type, amount_cents: amount }) => `${type} ${amount}`);
    expect(cents.toSorted()).toEqual(["credit_purchase 500", "one_time 700", "refund -500", "refund -700"]);
  }, PATIENCE);
  await billing.becomes({ purchased_credits: 0 });
  const { id } = await service.newProject(owner.token);
  const started = await service.call("POST", "/api/chat/agent", {
    token: owner.token,
    json: { project_id: id, agent_id: agent.id, message: "Hello" },
  });
  expect(started).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining("Agent not found") },
  });
});

it("without days of grace the tier ends with the first payment that fails", async () => {
  const { owner } = await newTeamClient(service);
  const billing = billingClient(service, owner);
  const { sessionId } = await billing.open("subscribe", { tier: "basic" });
  await payer.pay(sessionId);
  await billing.becomes({ tier: "basic", bundled_credits: 500 });
  const { body } = await billing.call("GET", "subscription");
  await payer.control(`customers/${String(body["stripe_customer_id"])}/card`, { card: "fails" });
  await payer.control(`subscriptions/${String(body["subscription_id"])}/advance`);
  expect(await billing.becomes({ tier: "free" })).toMatchObject({ status: "past_due", bundled_credits: 0 });
});

it("an administrator sees which events failed and why, and has them handled again, once", async () => {
  const { owner } = await newTeamClient(service);
  const billing = billingClient(service, owner);
  const { sessionId } = await billing.open("credits/purchase", { package: "medium" });
  const fault = { call: "GET checkout/sessions", status: 500, times: 1_000 };
  await payer.control("faults", { faults: [fault] });
  await payer.pay(sessionId);
  const ours = async (status: string) =>
    (await events(`&status=${status}`)).events.find(({ object_id: object }) => object === sessionId);
  await vi.waitFor(
    async () =>
      expect(await ours("received")).toMatchObject({
        type: "checkout.session.completed",
        attempts: expect.any(Number),
        error: expect.stringMatching(/\w+ \w+/u),
      }),
    PATIENCE,
  );
  await payer.control("faults", { faults: [] });
  const event = await ours("received");
  const path = `/api/admin/billing/events/${event?.id}/retry`;
  const retry = () => service.call("POST", path, { token: admin.token });
  expect(await retry()).toMatchObject({ status: 200, body: { success: true } });
  await billing.becomes({ purchased_credits: 2_500 });
  await vi.waitFor(async () => expect(await ours("done")).toMatchObject({ error: null }), PATIENCE);
  const before = (await ours("done"))?.attempts ?? 0;
  expect(await retry()).toMatchObject({ status: 200 });
  await vi.waitFor(async () => expect(await ours("done")).toMatchObject({ attempts: before + 1 }), PATIENCE);
  await billing.becomes({ purchased_credits: 2_500 });
  expect((await billing.call("GET", "transactions")).body).toMatchObject({
    transactions: [{ amount_cents: 2_500 }],
  });

  // Once none is under way any more.
  await vi.waitFor(async () => {
    const all = await events();
    const parts = await Promise.all(
      ["received", "done", "ignored", "failed"].map((each) => events(`&status=${each}`)),
    );
    expect(parts.reduce((sum, { total }) => sum + total, 0)).toBe(all.total);
  }, PATIENCE);
  for (const [method, address] of [
    ["GET", "/api/admin/billing/events"],
    ["POST", path],
  ] as const) {
    expect(await service.call(method, address, { token: owner.token })).toMatchObject({ status: 403 });
  }
  expect(
    await service.call("POST", "/api/admin/billing/events/evt_none/retry", { token: admin.token }),
  ).toMatchObject({ status: 404 });
});
