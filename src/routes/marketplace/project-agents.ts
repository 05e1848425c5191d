import { z } from "zod";
import * as authoring from "#src/domain/marketplace/authoring/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Message, Moment } from "#src/http/schemas.ts";
import { ProjectParams } from "../projects/project.ts";

const PATH = "/api/marketplace/projects/:project";
const shared = { tag: "Marketplace", access: { user: "any" } } as const;
const AgentOfProject = ProjectParams.extend({ agent: z.string() });

const ProjectAgent = z
  .object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    category: z.string(),
    mode: z.string(),
    agent_type: z.string(),
    model: z.string().nullable(),
    system_prompt: z.string().nullable(),
    source_type: z.enum(["open", "closed"]),
    icon: z.string().nullable(),
    avatar_url: z.string().nullable(),
    features: z.array(z.string()),
    added_at: Moment.nullable(),
  })
  .meta({ id: "ProjectAgent" });

type Row = Awaited<ReturnType<typeof authoring.listProjectAgents>>[number];

const describe = ({ agent, addedAt }: Row): z.input<typeof ProjectAgent> => ({
  id: agent.id,
  name: agent.name,
  slug: agent.slug,
  description: agent.description,
  category: agent.category,
  mode: agent.mode,
  agent_type: agent.agentType,
  model: agent.model,
  system_prompt: agent.systemPrompt,
  source_type: agent.sourceType,
  icon: agent.icon,
  avatar_url: agent.avatarUrl,
  features: agent.features,
  added_at: addedAt?.toISOString() ?? null,
});

export const listProjectAgents = endpoint({
  operationId: "listProjectAgents",
  ...shared,
  method: "get",
  path: `${PATH}/agents`,
  summary: "List a project's agents",
  description: "Agents that were added to the project.",
  params: ProjectParams,
  refusals: [403, 404],
  response: { status: 200, schema: z.object({ agents: z.array(ProjectAgent) }) },
  async handler({ services, caller, params }) {
    const rows = await authoring.listProjectAgents(services, caller, params.project);
    return { agents: rows.filter(({ addedAt }) => addedAt !== null).map(describe) };
  },
});

export const listAvailableAgents = endpoint({
  operationId: "listAvailableProjectAgents",
  ...shared,
  method: "get",
  path: `${PATH}/available-agents`,
  summary: "List agents for a project",
  description: "Agents that the project's team may use and that were not added to the project.",
  params: ProjectParams,
  refusals: [403, 404],
  response: { status: 200, schema: z.object({ available_agents: z.array(ProjectAgent) }) },
  async handler({ services, caller, params }) {
    const rows = await authoring.listProjectAgents(services, caller, params.project);
    return { available_agents: rows.filter(({ addedAt }) => addedAt === null).map(describe) };
  },
});

export const addProjectAgent = endpoint({
  operationId: "addProjectAgent",
  ...shared,
  method: "post",
  path: `${PATH}/agents/:agent`,
  summary: "Add an agent to a project",
  params: AgentOfProject,
  refusals: [403, 404],
  response: {
    status: 200,
    schema: z.object({ message: z.string(), project_id: z.uuid(), agent_id: z.string() }),
  },
  async handler({ services, caller, params: { project, agent: agentId } }) {
    const projectId = await authoring.addProjectAgent(services, caller, { project, agentId });
    return { message: "Agent added to the project", project_id: projectId, agent_id: agentId };
  },
});

export const removeProjectAgent = endpoint({
  operationId: "removeProjectAgent",
  ...shared,
  method: "delete",
  path: `${PATH}/agents/:agent`,
  summary: "Remove an agent from a project",
  description: "The team may use the agent as before.",
  params: AgentOfProject,
  refusals: [403, 404],
  response: { status: 200, schema: Message },
  async handler({ services, caller, params: { project, agent: agentId } }) {
    await authoring.removeProjectAgent(services, caller, { project, agentId });
    return { message: "Agent removed from the project" };
  },
});
