import { z } from "zod";
import { createAgent as newAgent, deleteAgent as endAgent } from "#src/domain/agent-work/agents/index.ts";
import * as authoring from "#src/domain/marketplace/authoring/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { JsonObject, text } from "#src/http/schemas.ts";
import { AppError } from "#src/lib/errors.ts";
import { agentDeps, Description, ModelId, Name, Prompt, Tools } from "../agents/agent.ts";
import { AgentDone, agentDone, AGENTS } from "./item.ts";

const AgentParams = z.object({ agent: z.string() });
const shared = { tag: "Marketplace", access: { user: "any" } } as const;
const Word = text({ min: 1, max: 100, trim: true });
const Made = AgentDone.extend({ slug: z.string() }).meta({ id: "CreatedMarketplaceAgent" });

export const createAgent = endpoint({
  operationId: "createMarketplaceAgent",
  ...shared,
  method: "post",
  path: `${AGENTS}/create`,
  summary: "Create an agent of the team",
  description: "The same kind of agent as `POST /api/agents` creates: of the active team, and not published.",
  example: { name: "Reviewer", description: "Reviews code", system_prompt: "You review code." },
  body: z.object({
    name: Name,
    description: Description,
    system_prompt: Prompt,
    mode: Word.default("stream"),
    agent_type: Word.default("StreamAgent"),
    model: ModelId.nullish(),
    category: Word.default("custom"),
  }),
  refusals: [403, 404, 409],
  response: { status: 200, schema: Made },
  async handler({ services, caller, body, client }) {
    const { name, description, system_prompt: systemPrompt, mode, agent_type: agentType, category } = body;
    const input = { name, description, systemPrompt, mode, agentType, category, model: body.model ?? null };
    const agent = await newAgent(agentDeps(services), caller, { ...input, tools: null }, client);
    return { ...agentDone(agent.id, "Agent created"), slug: agent.slug };
  },
});

const Change = z.object({
  name: Name.optional(),
  description: Description.optional(),
  system_prompt: Prompt.optional(),
  model: ModelId.nullable().optional(),
  tools: Tools.nullable().optional(),
  tool_configs: JsonObject.nullable().optional().describe("By tool: a description and examples"),
  avatar_url: text({ max: 2000 }).nullable().optional(),
  config: JsonObject.optional().describe("Merged into the agent's settings, one level deep"),
});

/** The fields that are there, under the names of the domain. */
function changeOf({ system_prompt, tool_configs, avatar_url, ...same }: z.output<typeof Change>) {
  const { name, description, model, tools, config } = same;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(system_prompt !== undefined && { systemPrompt: system_prompt }),
    ...(model !== undefined && { model }),
    ...(tools !== undefined && { tools }),
    ...(tool_configs !== undefined && { toolConfigs: tool_configs }),
    ...(avatar_url !== undefined && { avatarUrl: avatar_url }),
    ...(config !== undefined && { config }),
  };
}

export const updateAgent = endpoint({
  operationId: "updateMarketplaceAgent",
  ...shared,
  method: "patch",
  path: `${AGENTS}/:agent`,
  summary: "Update an agent of the team",
  description:
    "The team's own agent is changed. Of an open agent that the team took from the marketplace, a fork gets the changes and the original is switched off.",
  params: AgentParams,
  example: { description: "Reviews code" },
  body: Change,
  refusals: [403, 404],
  response: { status: 200, schema: AgentDone.extend({ forked: z.literal(true).optional() }) },
  async handler({ services, caller, params, body, client }) {
    const input = { id: params.agent, change: changeOf(body) };
    const { id, isFork } = await authoring.changeOrFork(agentDeps(services), caller, input, client);
    return isFork
      ? { ...agentDone(id, "A fork of the agent was created with your changes"), forked: true as const }
      : agentDone(id, "Agent updated");
  },
});

export const deleteAgent = endpoint({
  operationId: "deleteMarketplaceAgent",
  ...shared,
  method: "delete",
  path: `${AGENTS}/:agent`,
  summary: "Delete an agent of the team",
  description: "One that is not published, and that no other team paid for.",
  params: AgentParams,
  refusals: [400, 403, 404],
  response: { status: 200, schema: AgentDone },
  async handler({ services, caller, params, client }) {
    await endAgent(services, caller, params.agent, client);
    return agentDone(params.agent, "Agent deleted");
  },
});

const ForkFields = z.object({
  name: Name.optional(),
  description: Description.optional(),
  system_prompt: Prompt.optional(),
  model: ModelId.optional(),
});

export const forkAgent = endpoint({
  operationId: "forkMarketplaceAgent",
  ...shared,
  method: "post",
  path: `${AGENTS}/:agent/fork`,
  summary: "Fork an agent",
  description:
    "Copies an open, forkable agent that the team may use into the team. Fields may be in the body or in the query; the body wins.",
  params: AgentParams,
  query: ForkFields.extend({ confirmed: text({ max: 10 }).optional() }),
  example: { name: "My reviewer" },
  body: ForkFields,
  refusals: [403, 404],
  response: { status: 200, schema: Made },
  async handler({ services, caller, params, query, body, client }) {
    const { confirmed: _, ...fields } = query;
    const input = { id: params.agent, change: changeOf({ ...fields, ...body }) };
    const fork = await authoring.forkAgent(agentDeps(services), caller, input, client);
    return { ...agentDone(fork.id, "Agent forked"), slug: fork.slug };
  },
});

/** Dollars of a price, in whole cents. */
export const Price = z.number().min(0).max(999).describe("US dollars: 1 to 999, or 0 for what is free");

export const publishAgent = endpoint({
  operationId: "publishMarketplaceAgent",
  ...shared,
  method: "post",
  path: `${AGENTS}/:agent/publish`,
  summary: "Publish an agent",
  description:
    "Lists the team's agent in the marketplace: open, forkable and free unless the body says otherwise. A slug that is taken there gets a suffix.",
  params: AgentParams,
  example: {},
  body: z.object({
    pricing_type: z.enum(["free", "one_time", "monthly", "api"]).default("free"),
    price: Price.optional(),
    source_type: z.enum(["open", "closed"]).default("open"),
    is_forkable: z.boolean().optional().describe("As the source is open, when absent"),
  }),
  refusals: [403, 404],
  response: { status: 200, schema: AgentDone },
  async handler({ services, caller, params, body, client }) {
    const { pricing_type: pricingType, source_type: sourceType } = body;
    if (pricingType === "api") {
      throw new AppError(
        "invalid_input",
        "pricing_type: 'api' is not offered. Use free, one_time or monthly",
      );
    }
    const input = {
      pricingType,
      priceCents: authoring.centsOf(pricingType, body.price),
      sourceType,
      isForkable: body.is_forkable ?? sourceType === "open",
    };
    await authoring.publishAgent(services, caller, { id: params.agent, input }, client);
    return agentDone(params.agent, "Agent published");
  },
});

export const unpublishAgent = endpoint({
  operationId: "unpublishMarketplaceAgent",
  ...shared,
  method: "post",
  path: `${AGENTS}/:agent/unpublish`,
  summary: "Unpublish an agent",
  description: "Takes it off the marketplace. Teams that have it keep it.",
  params: AgentParams,
  refusals: [403, 404],
  response: { status: 200, schema: AgentDone },
  async handler({ services, caller, params, client }) {
    await authoring.unpublishAgent(services, caller, params.agent, client);
    return agentDone(params.agent, "Agent unpublished");
  },
});
