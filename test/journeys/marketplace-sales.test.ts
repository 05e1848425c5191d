import { eq } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import { bases, libraryAgents, transactions } from "#src/db/schema/index.ts";
import type { Account } from "#test/support/api-client.ts";
import { billingClient, PATIENCE } from "#test/support/billing-client.ts";
import { newChatClient } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent } from "#test/support/marketplace.ts";
import { payerOf } from "#test/support/payer.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const payer = payerOf(service);
const db = databaseOf(service);

const PRICE = { pricingType: "one_time", priceCents: 500 } as const;

const post = <T = { session_id: string }>(token: string, path: string, json: object = {}) =>
  service.call<T>("POST", `/api/marketplace/${path}`, { token, json });
const leave = (token: string, id: string) =>
  service.call("DELETE", `/api/marketplace/agents/${id}/library`, { token });
const verify = (token: string, session_id: string, agent_slug?: string) =>
  post(token, "verify-purchase", { session_id, ...(agent_slug !== undefined && { agent_slug }) });

/** A team that sells; its owner has no account for payouts. */
async function newSeller() {
  const { owner, team } = await newTeamClient(service);
  const billing = billingClient(service, owner);
  return {
    owner,
    made: { teamId: team.id, createdBy: owner.id },
    /** Waits until so much is earned: in all, what waits, what was sent. */
    earns: (...[total, pending, paid]: [number, number, number]) =>
      vi.waitFor(async () => {
        expect((await billing.call("GET", "earnings")).body).toMatchObject({
          total_revenue_cents: total,
          pending_revenue_cents: pending,
          paid_revenue_cents: paid,
        });
      }, PATIENCE),
    /** Opens the account, and introduces the owner on its page. */
    async introduce() {
      const { body } = await billing.call<{ url: string }>("POST", "connect");
      const answer = await fetch(`${body.url}/finish`, { method: "POST", redirect: "manual" });
      expect(answer.status).toBe(303);
    },
  };
}

/** Starts tasks with an agent, in a project of a person's active team. */
async function starterOf(account: Account, agentId: string) {
  const client = await newChatClient(service, { account });
  const json = { project_id: client.projectId, agent_id: agentId, message: "Hello" };
  return async () => (await client.call("POST", "/api/chat/agent", json)).status;
}

const salesOf = (agentId: string) =>
  db.select().from(transactions).where(eq(transactions.agentId, agentId)).orderBy(transactions.id);

it.concurrent("an agent that costs money once is had once it is paid, by one payment; its creator's share waits for an account; a refund takes back both", async () => {
  const [seller, { owner }] = [await newSeller(), await newTeamClient(service)];
  const agent = await listAgent(db, { ...PRICE, ...seller.made });
  const other = await listAgent(db, PRICE);
  const start = await starterOf(owner, agent.id);
  await seller.earns(0, 0, 0);
  expect(await start()).toBe(404);
  const { body: opened } = await post(owner.token, `agents/${agent.slug}/purchase`);
  expect(opened).toMatchObject({ agent_id: agent.id, via: "orchestrator_stripe" });
  const again = await post(owner.token, "purchase", { agent_id: agent.id });
  expect(again.body.session_id).toBe(opened.session_id);
  const early = await verify(owner.token, opened.session_id);
  expect(early).toMatchObject({ status: 400, body: { detail: expect.stringContaining("not paid") } });
  await payer.pay(opened.session_id);
  expect(await verify(owner.token, opened.session_id, other.slug)).toMatchObject({ status: 400 });
  expect(await verify(seller.owner.token, opened.session_id)).toMatchObject({ status: 403 });
  for (const answer of await Promise.all(
    Array.from({ length: 5 }, () => verify(owner.token, opened.session_id)),
  )) {
    expect(answer).toMatchObject({ status: 200, body: { success: true, agent_id: agent.id } });
  }
  const rows = await db.select().from(libraryAgents).where(eq(libraryAgents.agentId, agent.id));
  expect(rows).toMatchObject([{ purchaseType: "one_time", endedAt: null, isActive: true }]);
  const shares = { amountCents: 500, creatorCents: 450, platformCents: 50, creatorId: seller.owner.id };
  expect(await salesOf(agent.id)).toMatchObject([{ type: "one_time", ...shares }]);
  const { body } = await post(owner.token, `agents/${agent.id}/purchase`);
  expect(body).toEqual({ agent_id: agent.id, message: expect.stringContaining("Already") });
  expect(await start()).toBe(200);
  // What was paid for and removed is had again without another payment.
  expect((await leave(owner.token, agent.id)).status).toBe(200);
  expect(await start()).toBe(404);
  await post(owner.token, `agents/${agent.id}/purchase`);
  expect(await start()).toBe(200);

  const charge = await payer.chargeOf(opened.session_id);
  const transfers = async () =>
    (await payer.list("objects/transfer")).filter(({ source_transaction: paid }) => paid === charge);
  await seller.earns(450, 450, 0);
  expect(await transfers()).toEqual([]);
  await seller.introduce();
  await seller.earns(450, 0, 450);
  expect(await transfers()).toMatchObject([{ amount: 450, currency: "usd" }]);

  await payer.control(`charges/${charge}/refund`);
  await vi.waitFor(async () => expect(await start()).toBe(404), PATIENCE);
  await seller.earns(0, 0, 0);
  await post(owner.token, `agents/${agent.id}/purchase`);
  expect(await start()).toBe(404);
  expect(await verify(owner.token, opened.session_id)).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("refunded") },
  });
});

it.concurrent("a template that costs money begins a project only for a team that bought it, until the money goes back", async () => {
  const [seller, { owner }] = [await service.signUp(), await newTeamClient(service)];
  const { id: projectId } = await service.newProject(seller.token);
  const exported = await service.call<{ id: string; slug: string }>(
    "POST",
    `/api/projects/${projectId}/export-template`,
    { token: seller.token, json: { name: "For sale", visibility: "public" } },
  );
  const base = exported.body;
  await db.update(bases).set(PRICE).where(eq(bases.id, base.id));
  const begin = (token: string) =>
    service.call("POST", "/api/projects", {
      token,
      json: { name: "From a template", source_type: "base", base_id: base.slug },
    });
  expect(await begin(seller.token)).toMatchObject({ status: 200 });
  expect(await begin(owner.token)).toMatchObject({
    status: 403,
    body: { detail: "This template costs money: buy it in the marketplace first" },
  });
  const { body: opened } = await post(owner.token, `bases/${base.slug}/purchase`);
  await payer.pay(opened.session_id);
  expect(await verify(owner.token, opened.session_id)).toMatchObject({ body: { base_id: base.id } });
  expect((await service.call("GET", "/api/marketplace/my-bases", { token: owner.token })).body).toMatchObject(
    {
      bases: [{ id: base.id, purchase_type: "one_time" }],
    },
  );
  expect(await begin(owner.token)).toMatchObject({ status: 200 });
  const path = `/api/marketplace/bases/${base.id}`;
  expect((await service.call("DELETE", path, { token: seller.token })).status).toBe(400);
  const [booked] = await db.select().from(transactions).where(eq(transactions.baseId, base.id));
  await payer.control(`charges/${booked?.chargeId}/refund`);
  // The event of the refund arrives by itself.
  await vi.waitFor(async () => expect((await begin(owner.token)).status).toBe(403), PATIENCE);
});

it.concurrent("an agent that costs money each month is had by the events alone, with a share of each month; cancelled, renewed, and had until it ends", async () => {
  const [seller, { owner }] = [await newSeller(), await newTeamClient(service)];
  const agent = await listAgent(db, { pricingType: "monthly", priceCents: 300, ...seller.made });
  const { body: opened } = await post(owner.token, `agents/${agent.slug}/purchase`);
  await payer.pay(opened.session_id);
  const list = async () =>
    (
      await service.call<{ subscription_id: string }[]>("GET", "/api/marketplace/subscriptions", {
        token: owner.token,
      })
    ).body;
  // No one verifies it: the events of the payment suffice.
  const running = { agent_id: agent.id, price: 300, is_active: true, cancel_at_period_end: false };
  await vi.waitFor(async () => expect(await list()).toMatchObject([running]), PATIENCE);
  const month = { type: "subscription", amountCents: 300, creatorCents: 270 };
  const paid = (months: object[]) =>
    vi.waitFor(async () => expect(await salesOf(agent.id)).toMatchObject(months), PATIENCE);
  await paid([month]);
  const id = (await list())[0]?.subscription_id ?? "";
  const advance = () => payer.control(`subscriptions/${id}/advance`);
  await advance();
  await paid([month, month]);

  const change = (token: string, what: string) =>
    post<{ cancel_at?: number }>(token, `subscriptions/${id}/${what}`);
  expect(await change(seller.owner.token, "cancel")).toMatchObject({ status: 404 });
  expect(await change(owner.token, "renew")).toMatchObject({ status: 400 });
  const cancelled = await change(owner.token, "cancel");
  expect(cancelled).toMatchObject({ status: 200, body: { success: true } });
  expect(await change(owner.token, "cancel")).toMatchObject({ status: 400 });
  const cancel_at = new Date((cancelled.body.cancel_at ?? 0) * 1000).toISOString();
  expect(await list()).toMatchObject([{ is_active: true, cancel_at_period_end: true, cancel_at }]);
  expect(await change(owner.token, "renew")).toMatchObject({ status: 200, body: { success: true } });
  expect(await list()).toMatchObject([{ ...running, cancel_at: null }]);

  await change(owner.token, "cancel");
  // It may be renewed, and would then be paid for and not be there.
  expect((await leave(owner.token, agent.id)).status).toBe(400);
  await advance();
  await vi.waitFor(async () => expect(await list()).toMatchObject([{ is_active: false }]), PATIENCE);
  expect(await change(owner.token, "renew")).toMatchObject({ status: 404 });
});
