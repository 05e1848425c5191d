import type { api } from "@agent-workspace/client";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { users } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent, listBase } from "#test/support/marketplace.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const db = databaseOf(service);

const post = (token: string, path: string, json: object = {}) =>
  service.call("POST", `/api/marketplace/${path}`, { token, json });
const remove = (token: string, id: string) =>
  service.call("DELETE", `/api/marketplace/agents/${id}/library`, { token });
const myAgents = async (token: string) =>
  (await service.call<{ agents: api.LibraryAgent[] }>("GET", "/api/marketplace/my-agents", { token })).body
    .agents;
const mine = async (token: string, id: string) => (await myAgents(token)).find((agent) => agent.id === id);

async function newBuyer() {
  const account = await service.signUp();
  const [user] = await db.select().from(users).where(eq(users.id, account.id));
  return { ...account, teamId: user?.defaultTeamId ?? "" };
}

/** A team that sells. */
const newSeller = newBuyer;

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

  it("does not get what is not listed", async () => {
    const { token } = await newBuyer();
    const seller = await newSeller();
    const hidden = await listAgent(db, { teamId: seller.teamId, isPublished: false });
    const deleted = await listAgent(db, { isActive: false });
    const secret = await listBase(db, { visibility: "private", createdBy: seller.id });
    for (const name of [hidden.slug, deleted.id]) {
      expect(await post(token, "purchase", { item_id: name })).toMatchObject({ status: 404 });
    }
    expect(await post(token, `bases/${secret.id}/purchase`)).toMatchObject({ status: 404 });
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
    expect(await toggle(true)).toMatchObject({ status: 404 });
    expect(await mine(token, agent.id)).toBeUndefined();
    expect(await post(token, `agents/${agent.id}/purchase`)).toMatchObject({ body: { success: true } });
    expect(await mine(token, agent.id)).toMatchObject({ usage_count: 1 });
  });
});

it.concurrent("an agent of another team is not changed by a team that took it; its model is, for oneself, where it is open", async () => {
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
