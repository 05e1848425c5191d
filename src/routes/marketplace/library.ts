import { z } from "zod";
import * as library from "#src/domain/organisations/library/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { AgentDone, agentDone, AGENTS, isPast } from "./item.ts";
import { describeMaker } from "./listed-agent.ts";

const AgentParams = z.object({ agent: z.string() });
const shared = { tag: "Marketplace", access: { user: "any" } } as const;

const LibraryAgent = z
  .object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    category: z.string(),
    mode: z.string(),
    agent_type: z.string(),
    model: z.string().nullable(),
    selected_model: z.string().nullable(),
    source_type: z.enum(["open", "closed"]),
    is_forkable: z.boolean(),
    system_prompt: z.string().nullable().describe("Null for a closed agent of another team"),
    icon: z.string().nullable(),
    avatar_url: z.string().nullable(),
    pricing_type: z.enum(["free", "one_time", "monthly"]),
    features: z.array(z.string()),
    tools: z.array(z.string()).nullable(),
    tool_configs: z.record(z.string(), z.unknown()).nullable(),
    purchase_date: Moment.nullable(),
    purchase_type: z.enum(["system_default", "free", "one_time", "monthly"]),
    expires_at: Moment.nullable(),
    is_custom: z.boolean().describe("Whether it is the team's own"),
    parent_agent_id: z.string().nullable(),
    is_enabled: z.boolean().describe("False for an agent that was switched off, or has expired"),
    is_published: z.boolean(),
    usage_count: z.int(),
    creator_type: z.enum(["official", "community"]),
    creator_name: z.string().nullable(),
    creator_username: z.string().nullable(),
    creator_avatar_url: z.string().nullable(),
    created_by_user_id: z.string().nullable(),
    forked_by_user_id: z.string().nullable(),
    is_admin_disabled: z.literal(false),
    is_system: z.boolean(),
  })
  .meta({ id: "LibraryAgent" });

type Listed = Awaited<ReturnType<typeof library.listLibrary>>[number];

function describe({
  agent,
  row,
  creator,
  selectedModel,
  isOwn,
  isDefault,
}: Listed): z.input<typeof LibraryAgent> {
  const isOfficial = agent.teamId === null;
  return {
    id: agent.id,
    name: agent.name,
    slug: agent.slug,
    description: agent.description,
    category: agent.category,
    mode: agent.mode,
    agent_type: agent.agentType,
    model: agent.model,
    selected_model: selectedModel ?? (isOwn ? agent.model : null),
    source_type: agent.sourceType,
    is_forkable: agent.isForkable,
    system_prompt: agent.systemPrompt,
    icon: agent.icon,
    avatar_url: agent.avatarUrl,
    pricing_type: agent.pricingType,
    features: agent.features,
    tools: agent.tools,
    tool_configs: agent.toolConfigs,
    purchase_date: (row?.createdAt ?? (isOwn ? agent.createdAt : null))?.toISOString() ?? null,
    purchase_type: row?.purchaseType ?? (isDefault ? "system_default" : "free"),
    expires_at: row?.expiresAt?.toISOString() ?? null,
    is_custom: isOwn,
    parent_agent_id: agent.parentAgentId,
    is_enabled: row === null || (row.isActive && !isPast(row.expiresAt)),
    is_published: agent.isPublished,
    usage_count: agent.downloads,
    ...describeMaker({ isOfficial, createdBy: agent.createdBy, creator }),
    forked_by_user_id: agent.parentAgentId === null ? null : agent.createdBy,
    is_admin_disabled: false,
    is_system: isDefault,
  };
}

export const myAgents = endpoint({
  operationId: "listLibraryAgents",
  ...shared,
  method: "get",
  path: "/api/marketplace/my-agents",
  summary: "List the team's agents",
  description:
    "The default agent, the active team's own, and those it took from the marketplace, also when switched off.",
  refusals: [403, 404],
  response: { status: 200, schema: z.object({ agents: z.array(LibraryAgent) }) },
  handler: async ({ services, caller }) => ({
    agents: (await library.listLibrary(services, caller)).map(describe),
  }),
});

export const toggleAgent = endpoint({
  operationId: "toggleLibraryAgent",
  ...shared,
  method: "post",
  path: `${AGENTS}/:agent/toggle`,
  summary: "Switch an agent on or off",
  description: "For the whole team. An agent that ended or expired is not revived.",
  params: AgentParams,
  query: z.object({ enabled: z.enum(["true", "false", "True", "False", "1", "0"]) }),
  refusals: [403, 404],
  response: { status: 200, schema: AgentDone.extend({ enabled: z.boolean() }) },
  async handler({ services, caller, params, query, client }) {
    const enabled = ["true", "True", "1"].includes(query.enabled);
    await library.toggleAgent(services, caller, { id: params.agent, isActive: enabled }, client);
    return { ...agentDone(params.agent, enabled ? "Agent enabled" : "Agent disabled"), enabled };
  },
});

export const removeFromLibrary = endpoint({
  operationId: "removeLibraryAgent",
  ...shared,
  method: "delete",
  path: `${AGENTS}/:agent/library`,
  summary: "Remove an agent from the library",
  description:
    "What was paid once can be purchased again without paying. A subscription is to be cancelled first.",
  params: AgentParams,
  refusals: [400, 403, 404],
  response: { status: 200, schema: AgentDone },
  async handler({ services, caller, params, client }) {
    await library.removeFromLibrary(services, caller, params.agent, client);
    return agentDone(params.agent, "Agent removed from your library");
  },
});

const LibraryBase = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    git_repo_url: z.string().nullable(),
    default_branch: z.string().nullable(),
    category: z.string(),
    icon: z.string().nullable(),
    pricing_type: z.enum(["free", "one_time"]),
    features: z.array(z.string()),
    tech_stack: z.array(z.string()),
    purchase_date: Moment,
    purchase_type: z.enum(["free", "one_time"]),
  })
  .meta({ id: "LibraryBase" });

export const myBases = endpoint({
  operationId: "listLibraryTemplates",
  ...shared,
  method: "get",
  path: "/api/marketplace/my-bases",
  summary: "List the team's templates",
  description: "Templates that the active team took from the marketplace.",
  refusals: [403, 404],
  response: { status: 200, schema: z.object({ bases: z.array(LibraryBase) }) },
  async handler({ services, caller }) {
    const rows = await library.listLibraryBases(services, caller);
    return {
      bases: rows.map(({ base, row }) => ({
        id: base.id,
        name: base.name,
        slug: base.slug,
        description: base.description,
        git_repo_url: base.gitRepoUrl,
        default_branch: base.defaultBranch,
        category: base.category,
        icon: base.icon,
        pricing_type: base.pricingType,
        features: base.features,
        tech_stack: base.techStack,
        purchase_date: row.createdAt.toISOString(),
        purchase_type: row.purchaseType,
      })),
    };
  },
});
