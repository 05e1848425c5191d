import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { agentModels, agents, chats, libraryAgents, users } from "#src/db/schema/index.ts";
import { changeAgent, createAgent } from "#src/domain/agent-work/agents/index.ts";
import { claimTask, startTask, storeTurn, type StartTask } from "#src/domain/agent-work/tasks/index.ts";
import { publishAgent } from "#src/domain/marketplace/authoring/index.ts";
import { chooseModelFor, type ChooseModelDeps } from "#src/domain/models/model-keys/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { modelSettings } from "#src/models/settings.ts";
import type { Services } from "#src/services.ts";
import { newColleague, type Colleague } from "#test/support/colleagues.ts";
import { DEFAULT_CEILINGS } from "#test/support/ceilings.ts";
import { fileDatabase } from "#test/support/database.ts";
import { listAgent } from "#test/support/marketplace.ts";
import { NO_AGENT_LIMITS, NO_LAUNCHES, messageToAgent } from "#test/support/message-to-agent.ts";
import { CLIENT } from "#test/support/people.ts";
import { partOf } from "#test/support/part-of.ts";

const { db } = await fileDatabase();

/** At a server of the buyer's own, at a vendor where the buyer reads what a key was used for, and on the buyer's own list. */
const OWN_MODELS = ["custom/mine/any", "openai/gpt-5", "some/added-model"];
const REFUSED = { code: "invalid_input", message: expect.stringContaining("closed") };

const settings = modelSettings({
  DEFAULT_MODEL: "demo",
  PLATFORM_MODELS: "house/model",
  BYOK_ENABLED_TIERS: "free",
  PUBLIC_URL: "https://workspace.test",
});
const rules = { db, config: DEFAULT_CEILINGS, modelSettings: settings, toolNamed: (name: string) => name };

async function newOwner() {
  const person = await newColleague(db);
  const { id: projectId } = await createProject({ db }, person.caller, {
    name: "app",
    description: "",
    sourceType: "empty",
  });
  return { ...person, projectId };
}

type Owner = Awaited<ReturnType<typeof newOwner>>;

/** A buyer and a closed agent of another team that the buyer's team has. */
async function newSale(values: Partial<typeof agents.$inferInsert> = {}) {
  const [creator, buyer] = [await newOwner(), await newOwner()];
  const agent = await listAgent(db, { teamId: creator.personalTeamId, sourceType: "closed", ...values });
  const row = { teamId: buyer.personalTeamId, agentId: agent.id };
  await db.insert(libraryAgents).values({ ...row, purchaseType: "free" });
  return { creator, buyer, agent };
}

function ask({ id: userId, projectId }: Owner, wish: Partial<StartTask>) {
  const deps = partOf<Services>({
    db,
    config: { DEFAULT_MODEL: "demo", ...NO_AGENT_LIMITS },
    modelSettings: settings,
    queue: { publish: async () => {} },
    taskLogs: NO_LAUNCHES,
  });
  return startTask(deps, messageToAgent({ userId, projectId, ...wish }));
}

describe("a closed agent is refused a model that is not the platform's", () => {
  it.each(OWN_MODELS)("that the message asks for: %s", async (model) => {
    const { creator, buyer, agent } = await newSale();
    await expect(ask(buyer, { agentId: agent.id, model })).rejects.toMatchObject(REFUSED);
    // The agent's own team may read its prompt anyhow.
    await expect(ask(creator, { agentId: agent.id, model })).resolves.toMatchObject({ isBehind: false });
  });

  it("that is the chat's", async () => {
    const { buyer, agent } = await newSale();
    const id = crypto.randomUUID();
    const chat = { kind: "named", id } as const;
    const row = { id, userId: buyer.id, projectId: buyer.projectId, origin: "browser" };
    await db.insert(chats).values({ ...row, agentId: agent.id, model: "custom/mine/any" });
    await expect(ask(buyer, { chat })).rejects.toMatchObject(REFUSED);
  });

  it("that its creator chose", async () => {
    const { buyer, agent } = await newSale({ model: "openai/gpt-5" });
    await expect(ask(buyer, { agentId: agent.id })).rejects.toMatchObject(REFUSED);
    await ask(buyer, { agentId: agent.id, model: "house/model" });
  });

  it("and does without the one that the buyer chose while it was open", async () => {
    const { buyer, agent } = await newSale();
    await db.insert(agentModels).values({ userId: buyer.id, agentId: agent.id, model: "custom/mine/any" });
    const { taskId } = await ask(buyer, { agentId: agent.id });
    const { current } = await claimTask(db, taskId, 1);
    expect(current).toMatchObject({ isPromptSecret: true, task: { model: "demo" } });
  });

  it("when its project was given another, or itself closed, after the task began", async () => {
    const { buyer, agent } = await newSale({ sourceType: "open" });
    const { taskId } = await ask(buyer, { agentId: agent.id, model: "openai/gpt-5" });
    const open = await claimTask(db, taskId, 1);
    expect(open.current).toMatchObject({ isPromptSecret: false });
    await db.update(agents).set({ sourceType: "closed" }).where(eq(agents.id, agent.id));
    const closed = await claimTask(db, taskId, 2);
    expect(closed.current).toMatchObject({ isPromptSecret: true });
  });

  it.each(OWN_MODELS)("before its key is looked up, at each of its turns: %s", async (model) => {
    const deps = partOf<ChooseModelDeps>({ modelSettings: settings });
    const who = { userId: crypto.randomUUID(), teamId: crypto.randomUUID(), isPromptSecret: true };
    await expect(chooseModelFor(deps, who, model)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("closed"),
    });
  });
});

it("an administrator of the installation has no team's agent send its prompt to an own server", async () => {
  const { id: userId } = await newColleague(db);
  await db.update(users).set({ isSuperuser: true }).where(eq(users.id, userId));
  for (const sourceType of ["closed", "open"] as const) {
    const { creator, agent } = await newSale({ sourceType, isPublished: false });
    const wish = { userId, isSuperuser: true, agentId: agent.id };
    await expect(ask(creator, { ...wish, model: "custom/mine/any" })).rejects.toMatchObject(REFUSED);
    await ask(creator, { ...wish, model: "demo" });
  }
});

const make = (creator: Colleague, model: string) =>
  createAgent(
    rules,
    creator.caller,
    { name: "Sold", description: "", systemPrompt: "Secret", model, tools: null },
    CLIENT,
  );
const publish = (creator: Colleague, id: string, sourceType: "open" | "closed") => {
  const input = { sourceType, isForkable: false, pricingType: "free", priceCents: 0 } as const;
  return publishAgent(rules, creator.caller, { id, input }, CLIENT);
};

it("a creator publishes no agent closed that no buyer could use, and gives none such a model", async () => {
  const UNFIT = { code: "invalid_input", message: expect.stringContaining("platform") };
  const creator = await newColleague(db);
  const unfit = await make(creator, "openai/gpt-5");
  await expect(publish(creator, unfit.id, "closed")).rejects.toMatchObject(UNFIT);
  await publish(creator, unfit.id, "open");
  const { id } = await make(creator, "demo");
  await publish(creator, id, "closed");
  const change = (model: string) => changeAgent(rules, creator.caller, id, { model }, CLIENT);
  await expect(change("openai/gpt-5")).rejects.toMatchObject(UNFIT);
  expect(await change("house/model")).toMatchObject({ model: "house/model" });
});

describe("a task whose team loses its agent", () => {
  it.each([
    ["is refunded or disputed", { endedAt: new Date() }],
    ["comes to the end of its subscription", { expiresAt: new Date(0) }],
    ["switches it off", { isActive: false }],
  ])("has no other step and no other turn once the team %s", async (_, change) => {
    const { buyer, agent } = await newSale({ pricingType: "one_time", priceCents: 500 });
    const { taskId } = await ask(buyer, { agentId: agent.id });
    expect(await claimTask(db, taskId, 1)).toMatchObject({ claimed: true, current: { loss: null } });
    await db.update(libraryAgents).set(change).where(eq(libraryAgents.agentId, agent.id));
    const turn = { taskId, generation: 1, iterations: 1, toolCalls: 0, turn: undefined, call: undefined };
    expect(await storeTurn(db, turn)).toMatchObject({ loss: "agent_lost" });
    expect(await claimTask(db, taskId, 2)).toMatchObject({ current: { loss: "agent_lost" } });
  });
});
