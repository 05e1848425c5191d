import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { bases, libraryAgents, payouts, transactions, users } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent, listBase } from "#test/support/marketplace.ts";
import { payerOf } from "#test/support/payer.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const payer = payerOf(service);
const db = databaseOf(service);

interface Opened {
  checkout_url: string;
  session_id: string;
}

const PRICE = { pricingType: "one_time", priceCents: 500 } as const;

const post = <T = Opened>(token: string, path: string, json: object = {}) =>
  service.call<T>("POST", `/api/marketplace/${path}`, { token, json });
const verify = (token: string, session_id: string, agent_slug?: string) =>
  post(token, "verify-purchase", { session_id, ...(agent_slug !== undefined && { agent_slug }) });

describe.concurrent("an item that costs money once", () => {
  it("is had once it is paid, by one payment, however often it is verified", async () => {
    const [seller, { owner }] = [await service.signUp(), await newTeamClient(service)];
    const [user] = await db.select().from(users).where(eq(users.id, seller.id));
    const made = { teamId: user?.defaultTeamId ?? "", createdBy: seller.id };
    const agent = await listAgent(db, { ...PRICE, ...made });
    const other = await listAgent(db, PRICE);
    const { body: opened } = await post(owner.token, `agents/${agent.slug}/purchase`);
    expect(opened).toMatchObject({ agent_id: agent.id, via: "orchestrator_stripe" });
    expect((await post(owner.token, "purchase", { agent_id: agent.id })).body.session_id).toBe(
      opened.session_id,
    );
    const early = await verify(owner.token, opened.session_id);
    expect(early).toMatchObject({ status: 400, body: { detail: expect.stringContaining("not paid") } });
    await payer.pay(opened.session_id);
    expect(await verify(owner.token, opened.session_id, other.slug)).toMatchObject({ status: 400 });
    expect(await verify(seller.token, opened.session_id)).toMatchObject({ status: 403 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => verify(owner.token, opened.session_id)),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 200, body: { success: true, agent_id: agent.id } });
    }
    const rows = await db.select().from(libraryAgents).where(eq(libraryAgents.agentId, agent.id));
    expect(rows).toMatchObject([{ purchaseType: "one_time", endedAt: null, isActive: true }]);
    const booked = await db.select().from(transactions).where(eq(transactions.agentId, agent.id));
    expect(booked).toMatchObject([
      { type: "one_time", amountCents: 500, creatorCents: 450, platformCents: 50, creatorId: seller.id },
    ]);
    expect(await db.$count(payouts, eq(payouts.transactionId, booked[0]?.id ?? newId()))).toBe(1);
    const { body } = await post(owner.token, `agents/${agent.id}/purchase`);
    expect(body).toEqual({ agent_id: agent.id, message: expect.stringContaining("Already") });
  });

  it("may be a template", async () => {
    const { owner } = await newTeamClient(service);
    const base = await listBase(db, PRICE);
    const { body: opened } = await post(owner.token, "purchase", { base_id: base.slug });
    await payer.pay(opened.session_id);
    expect(await verify(owner.token, opened.session_id)).toMatchObject({ body: { base_id: base.id } });
    const { body } = await service.call("GET", "/api/marketplace/my-bases", { token: owner.token });
    expect(body).toMatchObject({ bases: [{ id: base.id, purchase_type: "one_time" }] });
  });

  it("is for those who manage the billing; a payment for something else is none for it", async () => {
    const { owner, join } = await newTeamClient(service);
    const agent = await listAgent(db, PRICE);
    for (const role of ["editor", "viewer"] as const) {
      const { token } = await join(role);
      expect(await post(token, `agents/${agent.id}/purchase`)).toMatchObject({ status: 403 });
    }
    const pack = await service.call<Opened>("POST", "/api/billing/credits/purchase", {
      token: owner.token,
      json: { package: "small" },
    });
    await payer.pay(pack.body.session_id);
    expect(await verify(owner.token, pack.body.session_id, agent.slug)).toMatchObject({ status: 400 });
    expect(await db.$count(libraryAgents, eq(libraryAgents.agentId, agent.id))).toBe(0);
  });
});

describe.concurrent("a template that costs money", () => {
  it("begins a project only for a team that bought it, until the money goes back", async () => {
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
    expect(await verify(owner.token, opened.session_id)).toMatchObject({ status: 200 });
    expect(await begin(owner.token)).toMatchObject({ status: 200 });
    const [booked] = await db.select().from(transactions).where(eq(transactions.baseId, base.id));
    await payer.control(`charges/${booked?.chargeId}/refund`);
    // The event of the refund arrives by itself.
    await vi.waitFor(async () => expect((await begin(owner.token)).status).toBe(403), { interval: 500 });
  });
});

describe.concurrent("an agent that costs money each month", () => {
  it("is had while it is paid, and its creator gets a share of each month", async () => {
    const [seller, { owner }] = [await service.signUp(), await newTeamClient(service)];
    const [user] = await db.select().from(users).where(eq(users.id, seller.id));
    const made = { teamId: user?.defaultTeamId ?? "", createdBy: seller.id };
    const agent = await listAgent(db, { pricingType: "monthly", priceCents: 300, ...made });
    const { body: opened } = await post(owner.token, `agents/${agent.slug}/purchase`);
    await payer.pay(opened.session_id);
    const patience = { interval: 500 };
    const row = async () =>
      (await db.select().from(libraryAgents).where(eq(libraryAgents.agentId, agent.id)))[0];
    // No one verifies it: the events of the payment suffice.
    await vi.waitFor(async () => expect(await row()).toMatchObject({ purchaseType: "monthly" }), patience);
    const subscriptionId = (await row())?.subscriptionId ?? "";
    const booked = () => db.select().from(transactions).where(eq(transactions.agentId, agent.id));
    await vi.waitFor(async () => {
      expect(await booked()).toMatchObject([{ type: "subscription", amountCents: 300, creatorCents: 270 }]);
    }, patience);
    await payer.control(`subscriptions/${subscriptionId}/advance`);
    await vi.waitFor(async () => expect(await booked()).toHaveLength(2), patience);
  });

  it("is cancelled with the month that is paid, renewed, and had until it ends", async () => {
    const { owner, join } = await newTeamClient(service);
    const agent = await listAgent(db, { pricingType: "monthly", priceCents: 300 });
    const { body: opened } = await post(owner.token, `agents/${agent.slug}/purchase`);
    await payer.pay(opened.session_id);
    expect(await verify(owner.token, opened.session_id)).toMatchObject({ status: 200 });
    const list = async () =>
      (
        await service.call<{ subscription_id: string }[]>("GET", "/api/marketplace/subscriptions", {
          token: owner.token,
        })
      ).body;
    const [subscription] = await list();
    const id = subscription?.subscription_id ?? "";
    const change = (token: string, what: string) =>
      post<{ cancel_at?: number }>(token, `subscriptions/${id}/${what}`);

    expect(await change((await service.signUp()).token, "cancel")).toMatchObject({ status: 404 });
    expect(await change((await join("editor")).token, "cancel")).toMatchObject({ status: 403 });
    expect(await change(owner.token, "renew")).toMatchObject({ status: 400 });
    const cancelled = await change(owner.token, "cancel");
    expect(cancelled).toMatchObject({ status: 200, body: { success: true } });
    expect(await change(owner.token, "cancel")).toMatchObject({ status: 400 });
    const [ending] = await list();
    expect(ending).toMatchObject({ is_active: true, cancel_at_period_end: true });
    expect(ending).toMatchObject({
      cancel_at: new Date((cancelled.body.cancel_at ?? 0) * 1000).toISOString(),
    });
    expect(await change(owner.token, "renew")).toMatchObject({ status: 200, body: { success: true } });
    expect(await list()).toMatchObject([{ is_active: true, cancel_at_period_end: false, cancel_at: null }]);

    await change(owner.token, "cancel");
    await payer.control(`subscriptions/${id}/advance`);
    await vi.waitFor(async () => expect(await list()).toMatchObject([{ is_active: false }]), {
      interval: 500,
    });
    expect(await change(owner.token, "renew")).toMatchObject({ status: 404 });
  });
});

describe.concurrent("a tier", () => {
  it("is subscribed to on the page of the provider, and comes with its credits by the events alone", async () => {
    const { owner } = await newTeamClient(service);
    const subscribe = (json: object) =>
      service.call<Opened>("POST", "/api/billing/subscribe", { token: owner.token, json });
    expect(await subscribe({ tier: "gold" })).toMatchObject({ status: 400 });
    const opened = await subscribe({ tier: "pro", billing_interval: "monthly" });
    expect(opened.status).toBe(200);
    await payer.pay(opened.body.session_id);
    const plan = () => service.call("GET", "/api/billing/subscription", { token: owner.token });
    await vi.waitFor(
      async () =>
        expect((await plan()).body).toMatchObject({ tier: "pro", is_active: true, bundled_credits: 2000 }),
      { interval: 500 },
    );
    expect(await subscribe({ tier: "ultra" })).toMatchObject({ status: 400 });
  });
});
