import { z } from "zod";
import * as agents from "#src/domain/agent-work/agents/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import {
  agentDeps,
  AgentItem,
  describeAgent,
  Description,
  ModelId,
  Name,
  Prompt,
  Slug,
  Tools,
} from "./agent.ts";

export const createAgent = endpoint({
  operationId: "createAgent",
  method: "post",
  path: "/api/agents",
  summary: "Create an agent",
  description: "Adds an agent to the active team: a prompt, tools and a model.",
  tag: "Agents",
  access: { userOrKey: "agent.manage" },
  example: { name: "Reviewer", system_prompt: "You review code." },
  body: z.object({
    name: Name,
    slug: Slug.optional().describe("Made from the name when absent"),
    description: Description.nullish(),
    system_prompt: Prompt.nullish(),
    model: ModelId.nullish(),
    tools: Tools.nullish(),
  }),
  refusals: [400, 403, 404, 409],
  response: { status: 201, schema: AgentItem },
  async handler({ services, caller, body, client }) {
    const wish = {
      name: body.name,
      ...(body.slug !== undefined && { slug: body.slug }),
      description: body.description ?? "",
      systemPrompt: body.system_prompt ?? "",
      model: body.model ?? null,
      tools: body.tools ?? null,
    };
    return describeAgent(await agents.createAgent(agentDeps(services), caller, wish, client));
  },
});
