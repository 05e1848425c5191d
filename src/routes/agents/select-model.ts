import { z } from "zod";
import * as agents from "#src/domain/agent-work/agents/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { agentDeps, AgentParams, ModelId } from "./agent.ts";

export const selectModel = endpoint({
  operationId: "selectAgentModel",
  method: "post",
  path: "/api/marketplace/agents/:agent/select-model",
  summary: "Choose an agent's model",
  description:
    "For an agent of the service the choice applies to the caller only. For an agent of the team it applies to all members, as with `PATCH /api/agents/{agent}`.",
  tag: "Agents",
  access: { user: "any" },
  params: AgentParams,
  example: { model: null },
  body: z.object({ model: ModelId.nullable() }),
  refusals: [400, 403],
  response: {
    status: 200,
    schema: z.object({
      message: z.string(),
      agent_id: z.string(),
      selected_model: z.string().nullable(),
      success: z.literal(true),
    }),
  },
  async handler({ services, caller, params, body: { model }, client }) {
    await agents.selectModel(agentDeps(services), caller, { id: params.agent, model }, client);
    return {
      message: "Model selected",
      agent_id: params.agent,
      selected_model: model,
      success: true as const,
    };
  },
});
