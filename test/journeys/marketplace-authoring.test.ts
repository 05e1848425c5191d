import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { agents, libraryAgents, users } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { listAgent } from "#test/support/marketplace.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const db = databaseOf(service);

interface Done {
  agent_id: string;
  slug: string;
  forked?: true;
}

const ask = <T = Done>(method: string, path: string, token: string, json?: object) =>
  service.call<T>(method, `/api/marketplace/${path}`, { token, ...(json && { json }) });

const rowOf = async (id: string) => (await db.select().from(agents).where(eq(agents.id, id)))[0];

async function newTeam() {
  const account = await service.signUp();
  const [user] = await db.select().from(users).where(eq(users.id, account.id));
  const create = async (fields: object = {}) => {
    const json = { name: "Reviewer", description: "Reviews code", system_prompt: "canary", ...fields };
    return (await ask("POST", "agents/create", account.token, json)).body;
  };
  return { ...account, teamId: user?.defaultTeamId ?? "", create };
}

describe.concurrent("an agent of the team", () => {
  it("is created, changed, published, unpublished and deleted", async () => {
    const { token, teamId, id: userId, create } = await newTeam();
    const { agent_id: id, slug } = await create({ category: "review", agent_type: "IterativeAgent" });
    expect(await rowOf(id)).toMatchObject({
      teamId,
      createdBy: userId,
      slug,
      category: "review",
      agentType: "IterativeAgent",
      isPublished: false,
      tools: null,
    });
    const change = { config: { a: { b: 1 }, c: 2 }, tools: ["grep"], tool_configs: { grep: {} } };
    expect(await ask("PATCH", `agents/${id}`, token, change)).toMatchObject({
      status: 200,
      body: { agent_id: id, success: true },
    });
    await ask("PATCH", `agents/${id}`, token, {
      config: { a: 3 },
      avatar_url: "https://pictures.invalid/a.png",
    });
    expect(await rowOf(id)).toMatchObject({
      config: { a: 3, c: 2 },
      tools: ["grep"],
      toolConfigs: { grep: {} },
      avatarUrl: "https://pictures.invalid/a.png",
    });
    expect(await ask("POST", `agents/${id}/publish`, token)).toMatchObject({ status: 200 });
    expect(await rowOf(id)).toMatchObject({
      isPublished: true,
      sourceType: "open",
      isForkable: true,
      pricingType: "free",
      priceCents: 0,
    });
    expect(await ask("DELETE", `agents/${id}`, token)).toMatchObject({ status: 400 });
    expect(await ask("POST", `agents/${id}/unpublish`, token)).toMatchObject({ status: 200 });
    expect(await service.call("GET", `/api/marketplace/agents/${id}`)).toMatchObject({ status: 404 });
    expect(await ask("DELETE", `agents/${id}`, token)).toMatchObject({ status: 200 });
  });

  it("is not deleted while another team paid for it and may use it", async () => {
    const [seller, buyer] = [await newTeam(), await newTeam()];
    const { agent_id: agentId } = await seller.create();
    await db.insert(libraryAgents).values({ teamId: buyer.teamId, agentId, purchaseType: "one_time" });
    expect(await ask("DELETE", `agents/${agentId}`, seller.token)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("paid") },
    });
    await db.update(libraryAgents).set({ endedAt: new Date() }).where(eq(libraryAgents.agentId, agentId));
    expect(await ask("DELETE", `agents/${agentId}`, seller.token)).toMatchObject({ status: 200 });
  });

  it("is published with its terms, and not with terms that are none", async () => {
    const { token, create } = await newTeam();
    const publish = async (terms: object) => {
      const { agent_id: id } = await create();
      const { status } = await ask("POST", `agents/${id}/publish`, token, terms);
      return { status, ...(await rowOf(id)) };
    };
    for (const [terms, row] of [
      [
        { pricing_type: "one_time", price: 1.1 },
        { pricingType: "one_time", priceCents: 110 },
      ],
      [
        { pricing_type: "monthly", price: 999, source_type: "closed" },
        { pricingType: "monthly", priceCents: 99_900, sourceType: "closed", isForkable: false },
      ],
    ]) {
      expect(await publish(terms ?? {})).toMatchObject({ ...row, status: 200, isPublished: true });
    }
    for (const [terms, status] of [
      [{ pricing_type: "api", price: 5 }, 400],
      [{ pricing_type: "monthly", price: 0.99 }, 400],
      [{ pricing_type: "monthly", price: 1.005 }, 400],
      [{ pricing_type: "one_time", price: 999.01 }, 422],
    ] as const) {
      const refused = await publish(terms);
      expect({ terms, ...refused }).toMatchObject({ terms, status, isPublished: false });
    }
  });
});

describe.concurrent("an agent of another team", () => {
  it("is forked with fields from the body or the query", async () => {
    const [seller, other] = [await newTeam(), await newTeam()];
    const { agent_id: id } = await seller.create();
    await ask("POST", `agents/${id}/publish`, seller.token);
    const plain = await ask("POST", `agents/${id}/fork`, other.token);
    expect(plain).toMatchObject({ status: 200, body: { success: true } });
    expect(await rowOf(plain.body.agent_id)).toMatchObject({
      teamId: other.teamId,
      name: "Reviewer (My Fork)",
      systemPrompt: "canary",
      parentAgentId: id,
      isForkable: false,
      isPublished: false,
      pricingType: "free",
      sourceType: "open",
    });
    const asked = await ask("POST", `agents/${id}/fork?name=Query&description=Q`, other.token, {
      name: "Body",
    });
    expect(await rowOf(asked.body.agent_id)).toMatchObject({ name: "Body", description: "Q" });
  });

  it("is not forked when it is closed, not forkable, not paid or not published", async () => {
    const [seller, other] = [await newTeam(), await newTeam()];
    for (const [values, status] of [
      [{ sourceType: "closed" }, 403],
      [{ isForkable: false }, 403],
      [{ pricingType: "one_time", priceCents: 500 }, 403],
      [{ isPublished: false }, 404],
    ] as const) {
      const { id } = await listAgent(db, { teamId: seller.teamId, ...values });
      const refused = await ask("POST", `agents/${id}/fork`, other.token);
      expect({ values, status: refused.status }).toEqual({ values, status });
    }
  });

  it("is forked by a change, and switched off, once the team took it", async () => {
    const [seller, other] = [await newTeam(), await newTeam()];
    const { id } = await listAgent(db, { teamId: seller.teamId, systemPrompt: "canary", config: { a: 1 } });
    expect(await ask("PATCH", `agents/${id}`, other.token, { name: "Mine" })).toMatchObject({ status: 404 });
    await ask("POST", `agents/${id}/purchase`, other.token);
    const { body } = await ask("PATCH", `agents/${id}`, other.token, { name: "Mine", config: { b: 2 } });
    expect(body).toMatchObject({ forked: true, success: true });
    expect(await rowOf(body.agent_id)).toMatchObject({
      teamId: other.teamId,
      name: "Mine",
      systemPrompt: "canary",
      config: { a: 1, b: 2 },
    });
    expect((await rowOf(id))?.name).not.toBe("Mine");
    const [row] = await db.select().from(libraryAgents).where(eq(libraryAgents.agentId, id));
    expect(row).toMatchObject({ isActive: false, endedAt: null });
  });
});

it("offers agents of the team to a project, and takes them away", async () => {
  const team = await newTeam();
  const { id: project } = await service.newProject(team.token);
  const { agent_id: id } = await team.create();
  const lists = async () => {
    const path = `projects/${project}`;
    type Lists = Record<"agents" | "available_agents", { id: string }[]>;
    const { agents: added } = (await ask<Lists>("GET", `${path}/agents`, team.token)).body;
    const { available_agents: left } = (await ask<Lists>("GET", `${path}/available-agents`, team.token)).body;
    return [added, left].map((list) => list.some((agent) => agent.id === id));
  };
  expect(await lists()).toEqual([false, true]);
  for (const _ of ["once", "again"]) {
    expect(await ask("POST", `projects/${project}/agents/${id}`, team.token)).toMatchObject({
      status: 200,
      body: { project_id: project, agent_id: id },
    });
  }
  expect(await lists()).toEqual([true, false]);
  expect(await ask("DELETE", `projects/${project}/agents/${id}`, team.token)).toMatchObject({ status: 200 });
  expect(await lists()).toEqual([false, true]);
});
