import { z } from "zod";
import { listAgents as list } from "#src/domain/agents/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AgentItem, describeAgent } from "./agent.ts";

export const listAgents = endpoint({
  method: "get",
  path: "/api/agents",
  summary: "Agents of the team one works in, after the service's own",
  tag: "Agents",
  access: { userOrKey: "agent.view" },
  refusals: [404],
  response: { status: 200, schema: z.array(AgentItem) },
  handler: async ({ services, caller }) => (await list(services, caller)).map(describeAgent),
});
