import { z } from "zod";
import * as agents from "#src/domain/agent-work/agents/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AgentItem, describeAgent } from "./agent.ts";

export const listAgents = endpoint({
  operationId: "listAgents",
  method: "get",
  path: "/api/agents",
  summary: "List agents",
  description:
    "The agents of the service, then those of the active team, then those that it took from the marketplace.",
  tag: "Agents",
  access: { userOrKey: "agent.view" },
  refusals: [404],
  response: { status: 200, schema: z.array(AgentItem) },
  handler: async ({ services, caller }) => (await agents.listAgents(services, caller)).map(describeAgent),
});
