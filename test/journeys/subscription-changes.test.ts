import { eq, sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { subscriptions, teams } from "#src/db/schema/index.ts";
import type { Account } from "#test/support/api-client.ts";
import { billingClient, type BillingClient, PATIENCE } from "#test/support/billing-client.ts";
import { newChatClient } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent } from "#test/support/marketplace.ts";
import { payerOf } from "#test/support/payer.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const payer = payerOf(service);
const db = databaseOf(service);

const priceOf = (tier: "BASIC" | "PRO" | "ULTRA") => service.stack.variables[`STRIPE_${tier}_PRICE_ID`] ?? "";

/** A team that has subscribed to Pro. */
async function newSubscriber() {
  const { owner, team } = await newTeamClient(service);
  const billing = billingClient(service, owner);
  const { sessionId } = await billing.open("subscribe", { tier: "pro" });
  await payer.pay(sessionId);
  await billing.becomes({ tier: "pro", status: "active", bundled_credits: 2_000 });
  const { body } = await billing.call<{ subscription_id: string }>("GET", "subscription");
  const id = body.subscription_id;
  return { owner, team, billing, id, press: await portalOf(billing, id) };
}

/** Presses the buttons of the portal. */
async function portalOf(billing: BillingClient, subscription: string) {
  const { body } = await billing.call<{ url: string }>("GET", "portal");
  return async (verb: "plan" | "cancel" | "resume" | "card", fields: Record<string, string> = {}) => {
    const form = new URLSearchParams({ subscription, ...fields });
    const answer = await fetch(`${body.url}/${verb}`, { method: "POST", body: form, redirect: "manual" });
    expect(answer.status).toBe(303);
  };
}

/** Pays for a pack of 500 credits, and returns the charge. */
async function buyPack(billing: BillingClient): Promise<string> {
  const { sessionId } = await billing.open("credits/purchase", { package: "small" });
  await payer.pay(sessionId);
  return chargeOf(sessionId);
}

async function chargeOf(sessionId: string): Promise<string> {
  const session = (await payer.list("objects/checkout.session")).find(({ id }) => id === sessionId);
  const charges = await payer.list("objects/charge");
  const charge = charges.find(({ payment_intent: paid }) => paid === session?.["payment_intent"]);
  return String(charge?.["id"]);
}

describe.concurrent("a subscription that is changed in the portal", () => {
  it("goes up with its credits, down without losing them, and to and fro without new ones", async () => {
    const { billing, press } = await newSubscriber();
    await press("plan", { price: priceOf("ULTRA") });
    await billing.becomes({
      tier: "ultra",
      max_deploys: 20,
      bundled_credits: 8_000,
      monthly_allowance: 8_000,
    });
    await press("plan", { price: priceOf("BASIC") });
    await billing.becomes({ tier: "basic", max_deploys: 3, bundled_credits: 8_000, byok_enabled: false });
    await press("plan", { price: priceOf("ULTRA") });
    await billing.becomes({ tier: "ultra", bundled_credits: 8_000 });
    // What each change cost is in the list of what was paid.
    await vi.waitFor(async () => {
      const { body } = await billing.call<{ transactions: { amount_cents: number }[] }>(
        "GET",
        "transactions",
      );
      expect(body.transactions).toMatchObject([
        { type: "subscription", amount_cents: expect.any(Number) },
        { type: "subscription" },
        { type: "subscription", amount_cents: 4_900 },
      ]);
    }, PATIENCE);
  });

  it("is cancelled, resumed, and ends with its period once it is cancelled again", async () => {
    const { billing, press, id } = await newSubscriber();
    await press("cancel");
    await billing.becomes({ tier: "pro", cancel_at_period_end: true, cancel_at: expect.any(String) });
    await press("resume");
    await billing.becomes({ tier: "pro", cancel_at_period_end: false, cancel_at: null });
    await payer.control(`subscriptions/${id}/advance`);
    await press("cancel");
    await billing.becomes({ tier: "pro", cancel_at_period_end: true });
    const { sessionId } = await billing.open("credits/purchase", { package: "small" });
    await payer.pay(sessionId);
    await payer.control(`subscriptions/${id}/advance`);
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

describe.concurrent("a subscription whose card fails", () => {
  it("keeps its tier for some days without new credits, is free afterwards, and comes back once it is paid", async () => {
    const { billing, press, id, team } = await newSubscriber();
    await db.update(teams).set({ bundledCredits: 7 }).where(eq(teams.id, team.id));
    await press("card", { card: "fails" });
    await payer.control(`subscriptions/${id}/advance`);
    expect(await billing.becomes({ status: "past_due" })).toMatchObject({ tier: "pro", bundled_credits: 7 });

    const pastDueSince = sql`now() - interval '8 days'`;
    await db.update(subscriptions).set({ pastDueSince }).where(eq(subscriptions.subscriptionId, id));
    await press("cancel");
    expect(await billing.becomes({ tier: "free" })).toMatchObject({ status: "past_due", bundled_credits: 0 });

    await press("resume");
    await press("card", { card: "works" });
    expect(await billing.becomes({ status: "active" })).toMatchObject({
      tier: "pro",
      bundled_credits: 2_000,
    });
  });

  it("ends when the provider gives up", async () => {
    const { billing, press, id } = await newSubscriber();
    await press("card", { card: "fails" });
    await payer.control(`subscriptions/${id}/advance`);
    await billing.becomes({ tier: "pro", status: "past_due" });
    await payer.control(`subscriptions/${id}/advance`);
    expect(await billing.becomes({ tier: "free" })).toMatchObject({
      subscription_id: null,
      bundled_credits: 0,
    });
  });
});

describe.concurrent("a refund", () => {
  it("of a pack takes back what is left of its credits, and never more", async () => {
    const { owner, team } = await newTeamClient(service);
    const billing = billingClient(service, owner);
    const charge = await buyPack(billing);
    await billing.becomes({ purchased_credits: 500 });
    // 400 are spent.
    await db.update(teams).set({ purchasedCredits: 100 }).where(eq(teams.id, team.id));
    await payer.control(`charges/${charge}/refund`);
    await billing.becomes({ purchased_credits: 0 });
    expect((await billing.call("GET", "transactions")).body).toMatchObject({
      transactions: [
        { type: "refund", amount_cents: -500, amount_usd: -5 },
        { type: "credit_purchase", amount_cents: 500, status: "refunded" },
      ],
    });
  });

  it("of a part of a pack takes that part", async () => {
    const { owner } = await newTeamClient(service);
    const billing = billingClient(service, owner);
    const charge = await buyPack(billing);
    await billing.becomes({ purchased_credits: 500 });
    await payer.control(`charges/${charge}/refund`, { amount: 200 });
    expect(await billing.becomes({ purchased_credits: 300 })).toMatchObject({ tier: "free" });
    const { body } = await billing.call("GET", "credits/history");
    expect(body).toMatchObject({ purchases: [{ status: "completed", credits_amount: 500 }] });
  });

  it("of an agent ends the right to start tasks with it, and takes the creator's share back", async () => {
    const [seller, { owner }] = [await newSeller(), await newTeamClient(service)];
    const agent = await listAgent(db, { ...seller.made, pricingType: "one_time", priceCents: 500 });
    const start = await starterOf(owner, agent.id);
    expect(await start()).toMatchObject({ status: 404 });
    const sessionId = await purchase(owner, agent.id);
    await vi.waitFor(async () => expect(await start()).toMatchObject({ status: 200 }), PATIENCE);
    await vi.waitFor(async () => expect(await seller.earned()).toEqual([450, 450, 0]), PATIENCE);
    await payer.control(`charges/${await chargeOf(sessionId)}/refund`);
    await vi.waitFor(async () => expect(await start()).toMatchObject({ status: 404 }), PATIENCE);
    const { body } = await service.call<{ agents: { id: string }[] }>("GET", "/api/marketplace/my-agents", {
      token: owner.token,
    });
    expect(body.agents.map(({ id }) => id)).not.toContain(agent.id);
    await vi.waitFor(async () => expect(await seller.earned()).toEqual([0, 0, 0]), PATIENCE);
  });
});

/** Starts tasks with an agent, in a project of a person's active team. */
async function starterOf(account: Account, agentId: string) {
  const client = await newChatClient(service, { account });
  const json = { project_id: client.projectId, agent_id: agentId, message: "Hello" };
  return () => client.call("POST", "/api/chat/agent", json);
}

async function purchase({ token }: Account, agentId: string): Promise<string> {
  const { body } = await service.call<{ session_id: string }>(
    "POST",
    `/api/marketplace/agents/${agentId}/purchase`,
    { token },
  );
  await payer.pay(body.session_id);
  return body.session_id;
}

/** A team that sells; its owner has no account for payouts. */
async function newSeller() {
  const { owner, team } = await newTeamClient(service);
  const billing = billingClient(service, owner);
  return {
    made: { teamId: team.id, createdBy: owner.id },
    /** What was earned: in all, what waits, what was sent. */
    async earned() {
      const { body } = await billing.call("GET", "earnings");
      return ["total", "pending", "paid"].map((which) => body[`${which}_revenue_cents`]);
    },
    /** Opens the account, and introduces the owner on its page. */
    async introduce() {
      const { body } = await billing.call<{ url: string }>("POST", "connect");
      const answer = await fetch(`${body.url}/finish`, { method: "POST", redirect: "manual" });
      expect(answer.status).toBe(303);
    },
  };
}

it("an agent of a month that is cancelled in the portal works until its last month is over", async () => {
  const { owner } = await newTeamClient(service);
  const agent = await listAgent(db, { pricingType: "monthly", priceCents: 300 });
  const start = await starterOf(owner, agent.id);
  await purchase(owner, agent.id);
  await vi.waitFor(async () => expect(await start()).toMatchObject({ status: 200 }), PATIENCE);
  const listed = async () => {
    const token = owner.token;
    return (
      await service.call<{ subscription_id: string }[]>("GET", "/api/marketplace/subscriptions", { token })
    ).body;
  };
  expect(await listed()).toMatchObject([{ agent_id: agent.id, price: 300, cancel_at_period_end: false }]);
  const id = (await listed())[0]?.subscription_id ?? "";
  const press = await portalOf(billingClient(service, owner), id);
  await press("cancel");
  await vi.waitFor(
    async () => expect(await listed()).toMatchObject([{ is_active: true, cancel_at_period_end: true }]),
    PATIENCE,
  );
  expect(await start()).toMatchObject({ status: 200 });
  await payer.control(`subscriptions/${id}/advance`);
  await vi.waitFor(async () => expect(await start()).toMatchObject({ status: 404 }), PATIENCE);
  expect(await listed()).toMatchObject([{ is_active: false }]);
});

it("a share waits until its creator has an account, and is sent once then", async () => {
  const [seller, { owner }] = [await newSeller(), await newTeamClient(service)];
  const agent = await listAgent(db, { ...seller.made, pricingType: "one_time", priceCents: 999 });
  const charge = await chargeOf(await purchase(owner, agent.id));
  await vi.waitFor(async () => expect(await seller.earned()).toEqual([899, 899, 0]), PATIENCE);
  const transfers = async () =>
    (await payer.list("objects/transfer")).filter(({ source_transaction: paid }) => paid === charge);
  expect(await transfers()).toEqual([]);
  await seller.introduce();
  await vi.waitFor(async () => expect(await seller.earned()).toEqual([899, 0, 899]), PATIENCE);
  await seller.introduce();
  expect(await transfers()).toMatchObject([{ amount: 899 }]);
});

it("a place for one more deployment counts once, by both addresses", async () => {
  const { owner } = await newTeamClient(service);
  const billing = billingClient(service, owner);
  await billing.becomes({ max_deploys: 1 });
  const first = await billing.open("deploy/purchase");
  await payer.pay(first.sessionId);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => billing.call("POST", "verify-checkout", { session_id: first.sessionId })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await billing.becomes({ max_deploys: 2 });
  const second = await service.call<{ session_id: string }>(
    "POST",
    "/api/projects/deployment/purchase-slot",
    { token: owner.token },
  );
  await payer.pay(second.body.session_id);
  await billing.becomes({ max_deploys: 3 });
  expect((await billing.call("GET", "transactions")).body).toMatchObject({
    transactions: [
      { type: "deploy_purchase", amount_cents: 1_000 },
      { type: "deploy_purchase", amount_cents: 1_000 },
    ],
  });
});

it("what was bought is listed page by page, newest first; there is no usage to add", async () => {
  const { owner } = await newTeamClient(service);
  const billing = billingClient(service, owner);
  for (const [index, name] of ["small", "medium", "large"].entries()) {
    const { sessionId } = await billing.open("credits/purchase", { package: name });
    await payer.pay(sessionId);
    await billing.becomes({ purchased_credits: [500, 3_000, 13_000][index] });
  }
  for (const [path, list] of [
    ["credits/history", "purchases"],
    ["transactions", "transactions"],
  ] as const) {
    const page = async (query: string) => {
      const { body } = await billing.call<Record<string, { amount_cents: number }[]>>(
        "GET",
        `${path}?${query}`,
      );
      return body[list]?.map(({ amount_cents: cents }) => cents);
    };
    expect(await page("")).toEqual([10_000, 2_500, 500]);
    expect(await page("limit=2")).toEqual([10_000, 2_500]);
    expect(await page("limit=2&offset=2")).toEqual([500]);
    for (const query of ["limit=0", "limit=501", "offset=-1"]) {
      expect((await billing.call("GET", `${path}?${query}`)).status).toBe(422);
    }
  }
  expect(await billing.call("POST", "usage/sync", {})).toMatchObject({
    status: 200,
    body: { success: true, logs_synced: 0 },
  });
});
