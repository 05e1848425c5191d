import { z } from "zod";
import { findTool, MCP_TOOLS } from "#src/agent/tools/index.ts";
import type { Agent, AgentOfPerson } from "#src/domain/agent-work/agents/index.ts";
import { Moment, text } from "#src/http/schemas.ts";
import type { Services } from "#src/services.ts";

export const AgentParams = z.object({ agent: z.string() });

export const Name = text({ min: 1, max: 100, trim: true });
export const Slug = text({ min: 1, max: 60 }).regex(
  /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/u,
  "must be lower-case letters, digits and hyphens, with a letter or digit at both ends",
);
export const Description = text({ max: 2000 });
export const Prompt = text({ max: 50_000 }).describe("Added to the service's own system prompt");
export const ModelId = text({ min: 1, max: 200, trim: true }).describe(
  "`builtin/<name>`, `<provider>/<name>` or `custom/<slug>/<name>`; null for the platform's default",
);
export const Tools = z
  .array(text({ min: 1, max: 100 }))
  .max(100)
  .describe("Names of the agent's tools; `mcp` stands for those of MCP servers; null for all");

export const AgentItem = z
  .object({
    // A plain string, because the id of the service's own agent is not a UUID of a known version.
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    system_prompt: z.string().nullable().describe("Null for a closed agent of another team"),
    model: z.string().nullable(),
    selected_model: z
      .string()
      .nullable()
      .describe("The model that the caller chose for an agent that is not the team's"),
    tools: z.array(z.string()).nullable(),
    is_builtin: z.boolean().describe("Whether it is an agent of the service, which cannot be changed"),
    team_id: z.uuid().nullable(),
    created_by: z.uuid().nullable(),
    created_at: Moment,
    updated_at: Moment.nullable(),
  })
  .meta({ id: "Agent" });

export const describeAgent = (agent: Agent | AgentOfPerson): z.input<typeof AgentItem> => ({
  id: agent.id,
  slug: agent.slug,
  name: agent.name,
  description: agent.description,
  system_prompt: agent.systemPrompt,
  model: agent.model,
  selected_model: "selectedModel" in agent ? agent.selectedModel : null,
  tools: agent.tools,
  is_builtin: agent.teamId === null,
  team_id: agent.teamId,
  created_by: agent.createdBy,
  created_at: agent.createdAt.toISOString(),
  updated_at: agent.updatedAt?.toISOString() ?? null,
});

/** Dependencies of the agent use cases, with the list of tools, which the domain does not know. */
export const agentDeps = ({ db, config, modelSettings }: Services) => ({
  db,
  config,
  modelSettings,
  toolNamed: (name: string) => (name === MCP_TOOLS ? name : findTool(name)?.name),
});
