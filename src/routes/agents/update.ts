import { z } from "zod";
import { changeAgent } from "#src/domain/agent-work/agents/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import {
  agentDeps,
  AgentItem,
  AgentParams,
  describeAgent,
  Description,
  ModelId,
  Name,
  Prompt,
  Slug,
  Tools,
} from "./agent.ts";

export const updateAgent = endpoint({
  operationId: "updateAgent",
  method: "patch",
  path: "/api/agents/:agent",
  summary: "Update an agent",
  description: "An agent of the active team. Absent fields are unchanged.",
  tag: "Agents",
  access: { userOrKey: "agent.manage" },
  params: AgentParams,
  example: { name: "Reviewer" },
  body: z.object({
    name: Name.optional(),
    slug: Slug.optional(),
    description: Description.optional(),
    system_prompt: Prompt.optional(),
    model: ModelId.nullable().optional(),
    tools: Tools.nullable().optional(),
  }),
  refusals: [400, 403, 409],
  response: { status: 200, schema: AgentItem },
  async handler({ services, caller, params, body, client }) {
    const { system_prompt: systemPrompt, name, slug, description, model, tools } = body;
    const change = {
      ...(name !== undefined && { name }),
      ...(slug !== undefined && { slug }),
      ...(description !== undefined && { description }),
      ...(systemPrompt !== undefined && { systemPrompt }),
      ...(model !== undefined && { model }),
      ...(tools !== undefined && { tools }),
    };
    return describeAgent(await changeAgent(agentDeps(services), caller, params.agent, change, client));
  },
});
