import { z } from "zod";
import * as agents from "#src/domain/agent-work/agents/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AgentParams } from "./agent.ts";

export const deleteAgent = endpoint({
  operationId: "deleteAgent",
  method: "delete",
  path: "/api/agents/:agent",
  summary: "Delete an agent",
  description:
    "An agent of the active team, which is not published. Chats and keys that name it continue with the default agent.",
  tag: "Agents",
  access: { userOrKey: "agent.manage" },
  params: AgentParams,
  refusals: [400, 403],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await agents.deleteAgent(services, caller, params.agent, client);
    return null;
  },
});
