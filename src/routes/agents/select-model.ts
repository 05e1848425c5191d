import { z } from "zod";
import { changeAgent } from "#src/domain/agents/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { agentDeps, AgentParams, ModelId } from "./agent.ts";

export const selectModel = endpoint({
  method: "post",
  path: "/api/marketplace/agents/:agent/select-model",
  summary: "Choose the model of an agent of the team one works in",
  tag: "Agents",
  access: { user: "any" },
  params: AgentParams,
  body: z.object({ model: ModelId }),
  refusals: [400, 403],
  response: {
    status: 200,
    schema: z.object({
      message: z.string(),
      agent_id: z.string(),
      selected_model: z.string(),
      success: z.literal(true),
    }),
  },
  async handler({ services, caller, params, body, client }) {
    const { model } = body;
    const { id } = await changeAgent(agentDeps(services), caller, params.agent, { model }, client);
    return { message: "Model selected", agent_id: id, selected_model: model, success: true as const };
  },
});
