import { z } from "zod";
import { deleteAgent as remove } from "#src/domain/agents/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AgentParams } from "./agent.ts";

export const deleteAgent = endpoint({
  method: "delete",
  path: "/api/agents/:agent",
  summary: "Delete an agent of the team one works in; chats and keys that name it go on with the default one",
  tag: "Agents",
  access: { userOrKey: "agent.manage" },
  params: AgentParams,
  refusals: [403],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await remove(services, caller, params.agent, client);
    return null;
  },
});
