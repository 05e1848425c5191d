import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog, checkouts, libraryAgents, subscriptions, users } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent, listBase } from "#test/support/marketplace.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { fieldsOf } from "#test/support/fields.ts";

const service = sharedService();
const db = databaseOf(service);

interface Listed {
  id: string;
  is_enabled: boolean;
  [field: string]: unknown;
}

const post = (token: string, path: string, json: object = {}) =>
  service.call("POST", `/api/marketplace/${path}`, { token, json });
const remove = (token: string, id: string) =>
  service.call("DELETE", `/api/marketplace/agents/${id}/library`, { token });
const myAgents = async (token: string) =>
  (await service.call<{ agents: Listed[] }>("GET", "/api/marketplace/my-agents", { token })).body.agents;
const mine = async (token: string, id: string) => (await myAgents(token)).find((agent) => agent.id === id);

async function newBuyer() {
  const account = await service.signUp();
  const [user] = await db.select().from(users).where(eq(users.id, account.id));
  return { ...account, teamId: user?.defaultTeamId ?? "" };
}

/** A team that sells. */
const newSeller = newBuyer;

const bought = async (teamId: string, agentId: string, values: Partial<typeof libraryAgents.$inferInsert>) =>
  db.insert(libraryAgents).values({ teamId, agentId, purchaseType: "one_time", ...values });

describe.concurrent("the library of a team", () => {
  it("gets a free agent by each way to purchase it, once", async () => {
    const agent = await listAgent(db);
    const { token } = await newBuyer();
    const path = `agents/${agent.id}/purchase`;
    expect(await post(token, path)).toMatchObject({
      status: 200,
      body: { agent_id: agent.id, success: true, message: expect.any(String) },
    });
    const again = [
      await post(token, "purchase", { item_type: "agent", item_id: agent.id }),
      await post(token, "purchase", { agent_id: agent.id }),
      await post(token, "purchase", { slug: agent.slug }),
      await post(token, `agents/${agent.slug}/purchase`),
    ];
    for (const { status, body } of again) {
      expect({ status, body }).toEqual({
        status: 200,
        body: { agent_id: agent.id, message: expect.stringContaining("Already") },
      });
    }
    expect(await mine(token, agent.id)).toMatchObject({
      purchase_type: "free",
      is_enabled: true,
      is_custom: false,
      usage_count: 1,
    });
  });

  it("gets a free template, once", async () => {
    const base = await listBase(db, { techStack: ["vite"] });
    const { token } = await newBuyer();
    expect(await post(token, "purchase", { base_id: base.slug })).toMatchObject({
      status: 200,
      body: { base_id: base.id, success: true },
    });
    const { body } = await post(token, `bases/${base.id}/purchase`);
    expect(body).toEqual({ base_id: base.id, message: expect.stringContaining("Already") });
    expect((await service.call("GET", "/api/marketplace/my-bases", { token })).body).toMatchObject({
      bases: [{ id: base.id, tech_stack: ["vite"], purchase_type: "free" }],
    });
  });

  it("gets one row, one download and one audit entry from many purchases at once", async () => {
    const agent = await listAgent(db);
    const { token, teamId } = await newBuyer();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post(token, `agents/${agent.id}/purchase`)),
    );
    expect(answers.filter(({ body }) => fieldsOf(body)["success"] === true)).toHaveLength(1);
    expect(await mine(token, agent.id)).toMatchObject({ usage_count: 1 });
    const installed = and(eq(auditLog.teamId, teamId), eq(auditLog.action, "marketplace.installed"));
    expect(await db.$count(auditLog, installed)).toBe(1);
  });

  it("does not get what is not listed, and says what is missing", async () => {
    const { token } = await newBuyer();
    const seller = await newSeller();
    const hidden = await listAgent(db, { teamId: seller.teamId, isPublished: false });
    const deleted = await listAgent(db, { isActive: false });
    const secret = await listBase(db, { visibility: "private", createdBy: seller.id });
    for (const name of [hidden.id, hidden.slug, deleted.id, newId(), "no such agent"]) {
      expect(await post(token, "purchase", { item_id: name })).toMatchObject({ status: 404 });
    }
    expect(await post(token, `bases/${secret.id}/purchase`)).toMatchObject({ status: 404 });
    expect(await post(token, "purchase", {})).toMatchObject({ status: 422 });
    expect(await post(token, "purchase", { item_type: "base", agent_id: newId() })).toMatchObject({
      status: 422,
    });
  });

  it("switches an agent off and on, and no longer has it once it is removed", async () => {
    const agent = await listAgent(db);
    const { token } = await newBuyer();
    const toggle = (enabled: boolean) => post(token, `agents/${agent.id}/toggle?enabled=${enabled}`);
    expect(await toggle(true)).toMatchObject({ status: 404 });
    await post(token, `agents/${agent.id}/purchase`);
    expect(await toggle(false)).toMatchObject({ status: 200, body: { enabled: false, success: true } });
    expect(await mine(token, agent.id)).toMatchObject({ is_enabled: false });
    expect(await toggle(true)).toMatchObject({ status: 200, body: { enabled: true } });
    expect(await mine(token, agent.id)).toMatchObject({ is_enabled: true });
    await toggle(false);
    expect((await post(token, `agents/${agent.id}/purchase`)).body).not.toHaveProperty("success");
    expect(await mine(token, agent.id)).toMatchObject({ is_enabled: true });
    expect(await remove(token, agent.id)).toMatchObject({ status: 200 });
    expect(await remove(token, agent.id)).toMatchObject({ status: 404 });
    expect(await toggle(true)).toMatchObject({ status: 404 });
    expect(await mine(token, agent.id)).toBeUndefined();
    expect(await post(token, `agents/${agent.id}/purchase`)).toMatchObject({ body: { success: true } });
    expect(await mine(token, agent.id)).toMatchObject({ usage_count: 1 });
    const query = await post(token, `agents/${agent.id}/toggle?enabled=perhaps`);
    expect(query).toMatchObject({ status: 422 });
  });

  it("gives back what was paid once and removed, unless the money went back", async () => {
    const [{ token, teamId, id: userId }, seller] = [await newBuyer(), await newSeller()];
    const price = { teamId: seller.teamId, pricingType: "one_time", priceCents: 500 } as const;
    const checkoutId = newId();
    const agent = await listAgent(db, price);
    await db.insert(checkouts).values({
      id: checkoutId,
      teamId,
      userId,
      type: "agent_purchase",
      item: agent.id,
      customerId: "cus_1",
      amountCents: 500,
      currency: "usd",
      returnOrigin: "https://service.test",
      terms: { name: agent.name, metadata: {}, successPath: "/", cancelPath: "/" },
      status: "paid",
    });
    await bought(teamId, agent.id, { checkoutId });
    await remove(token, agent.id);
    expect(await mine(token, agent.id)).toBeUndefined();
    expect(await post(token, `agents/${agent.id}/purchase`)).toMatchObject({ status: 200 });
    expect(await mine(token, agent.id)).toMatchObject({ purchase_type: "one_time", is_enabled: true });
    await remove(token, agent.id);
    await db.update(checkouts).set({ status: "refunded" }).where(eq(checkouts.id, checkoutId));
    await post(token, `agents/${agent.id}/purchase`);
    expect(await mine(token, agent.id)).toBeUndefined();
  });

  it("keeps an agent that is subscribed to until the subscription is over", async () => {
    const { token, teamId } = await newBuyer();
    const agent = await listAgent(db, { pricingType: "monthly", priceCents: 300 });
    const subscriptionId = `sub_${newId()}`;
    await bought(teamId, agent.id, { purchaseType: "monthly", subscriptionId });
    await db.insert(subscriptions).values({
      id: newId(),
      subscriptionId,
      teamId,
      agentId: agent.id,
      priceId: "price_1",
      currency: "usd",
      status: "active",
      periodStart: new Date(),
      periodEnd: new Date(),
      observedAt: new Date(),
    });
    expect(await remove(token, agent.id)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("cancel") },
    });
    const which = eq(subscriptions.subscriptionId, subscriptionId);
    await db.update(subscriptions).set({ cancelAt: new Date() }).where(which);
    // It may be renewed, and would then be paid for and not be there.
    expect(await remove(token, agent.id)).toMatchObject({ status: 400 });
    await db.update(subscriptions).set({ status: "canceled" }).where(which);
    expect(await remove(token, agent.id)).toMatchObject({ status: 200 });
  });
});

describe.concurrent("an agent of another team", () => {
  it("is not changed by a team that took it; its model is, for oneself, where it is open", async () => {
    const [buyer, seller] = [await newBuyer(), await newSeller()];
    const [open, closed] = [
      await listAgent(db, { teamId: seller.teamId, systemPrompt: "shown", tools: ["grep"] }),
      await listAgent(db, { teamId: seller.teamId, sourceType: "closed", systemPrompt: "hidden" }),
    ];
    for (const { id } of [open, closed]) {
      await post(buyer.token, `agents/${id}/purchase`);
      for (const [method, json] of [["PATCH", { name: "Mine" }], ["DELETE"]] as const) {
        const answer = await service.call(method, `/api/agents/${id}`, {
          token: buyer.token,
          ...(json && { json }),
        });
        expect(answer).toMatchObject({ status: 403 });
      }
    }
    const select = ({ id }: { id: string }) =>
      post(buyer.token, `agents/${id}/select-model`, { model: "openai/gpt-5" });
    expect(await select(open)).toMatchObject({ status: 200 });
    expect(await mine(buyer.token, open.id)).toMatchObject({ system_prompt: "shown", tools: ["grep"] });
    expect(await mine(buyer.token, closed.id)).toMatchObject({ system_prompt: null, tools: null });
    expect(await mine(buyer.token, open.id)).toMatchObject({ selected_model: "openai/gpt-5" });
    expect(await mine(seller.token, open.id)).toMatchObject({ selected_model: null });
    expect(await select(closed)).toMatchObject({ status: 403 });
  });
});
