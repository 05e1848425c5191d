import { findAgent } from "#src/domain/agent-work/agents/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AgentItem, AgentParams, describeAgent } from "./agent.ts";

export const getAgent = endpoint({
  operationId: "getAgent",
  method: "get",
  path: "/api/agents/:agent",
  summary: "Get an agent",
  tag: "Agents",
  access: { userOrKey: "agent.view" },
  params: AgentParams,
  response: { status: 200, schema: AgentItem },
  handler: async ({ services, caller, params }) =>
    describeAgent(await findAgent(services, caller, params.agent)),
});
