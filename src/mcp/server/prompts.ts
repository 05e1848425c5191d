import type { GetPromptResult, McpServer, Prompt } from "@modelcontextprotocol/server";
import { holdsScope } from "#src/domain/access/permissions/index.ts";
import { listAgents, type AgentOfPerson } from "#src/domain/agent-work/agents/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { McpSession, Protocol } from "./session.ts";
import { answering } from "./refusal.ts";

const ARGUMENTS = [
  { name: "project", description: "Id or slug of the project", required: true },
  { name: "task", description: "What the agent is to do", required: true },
];

/** Offers each agent of the team as a prompt that hands a task to it. The agents are read when a client asks for them. */
export function offerPrompts(protocol: Protocol, { server }: McpServer, session: McpSession): void {
  const { services, caller } = session;
  if (!holdsScope(caller, "agent.view")) return;
  server.registerCapabilities({ prompts: {} });
  server.setRequestHandler("prompts/list", async () => ({
    prompts: (await answering(protocol, session, listAgents(services, caller))).map(asPrompt),
  }));
  server.setRequestHandler("prompts/get", ({ params }) =>
    answering(protocol, session, promptOf(session, params.name, params.arguments ?? {})),
  );
}

function asPrompt({ slug, name, description }: AgentOfPerson): Prompt {
  return { name: slug, title: name, description, arguments: ARGUMENTS };
}

async function promptOf(
  { services, caller }: McpSession,
  name: string,
  { project, task }: Record<string, string>,
): Promise<GetPromptResult> {
  if (!project || !task) throw new AppError("invalid_input", "The prompt needs `project` and `task`");
  const agents = await listAgents(services, caller);
  const agent = agents.find(({ slug }) => slug === name);
  if (!agent) throw new AppError("not_found", "Agent not found");
  const text = [
    `Hand this task to the agent ${agent.name} with the tool start_task:`,
    JSON.stringify({ project_id: project, agent_id: agent.id, message: task }),
    "Follow it with get_task until it has ended, and tell me the agent's response.",
  ].join("\n");
  return { description: agent.description, messages: [{ role: "user", content: { type: "text", text } }] };
}
