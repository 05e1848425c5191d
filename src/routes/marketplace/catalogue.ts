import { z } from "zod";
import * as catalogue from "#src/domain/marketplace/catalogue/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { AgentName, AGENTS, BaseName, BASES } from "./item.ts";
import { AgentDetail, describeAgentDetail, describeListedAgent, ListedAgentItem } from "./listed-agent.ts";
import { BaseDetail, describeBaseDetail, describeListedBase, ListedBaseItem } from "./listed-base.ts";

const shared = { method: "get", tag: "Marketplace", access: "visitors" } as const;

/** The same path below `/api/marketplace/public`, which clients without an account use. */
const publicPath = (path: string) => path.replace("/api/marketplace/", "/api/marketplace/public/");
const at = (path: string) => ({ path, aliases: [publicPath(path)] });

const Paging = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(12),
};

const Query = z.object({
  category: text({ max: 100 }).optional(),
  pricing_type: z.enum(["free", "monthly", "one_time", "api"]).optional(),
  search: text({ max: 200 }).optional().describe("Part of the name, the description, or an agent's tags"),
  sort: z.enum(catalogue.SORTS).default("featured"),
  source: text({ max: 100 }).optional().describe("`official` or `local`"),
  ...Paging,
});

const filterOf = ({ category, pricing_type, search, sort, source, page, limit }: z.output<typeof Query>) => ({
  category,
  pricingType: pricing_type,
  search: search?.trim() === "" ? undefined : search?.trim(),
  sort,
  source,
  page,
  limit,
});

const Envelope = z.object({
  total: z.int(),
  page: z.int(),
  limit: z.int(),
  total_pages: z.int(),
  has_more: z.boolean(),
});

function envelopeOf(total: number, { page, limit }: { page: number; limit: number }) {
  const pages = Math.ceil(total / limit);
  return { total, page, limit, total_pages: pages, has_more: page < pages };
}

const IS_PURCHASED = "`is_purchased` is that of the active team of a person who is signed in.";

export const listAgents = endpoint({
  operationId: "listMarketplaceAgents",
  ...shared,
  ...at(AGENTS),
  summary: "List agents of the marketplace",
  description: IS_PURCHASED,
  query: Query,
  response: { status: 200, schema: Envelope.extend({ agents: z.array(ListedAgentItem) }) },
  async handler({ services, caller, query }) {
    const { rows, total } = await catalogue.browseAgents(services, caller, filterOf(query));
    return { agents: rows.map(describeListedAgent), ...envelopeOf(total, query) };
  },
});

export const getAgent = endpoint({
  operationId: "getMarketplaceAgent",
  ...shared,
  ...at(`${AGENTS}/:agent`),
  summary: "Get an agent of the marketplace",
  description: `Prompt and tools of a closed agent are shown to its own team alone. ${IS_PURCHASED}`,
  params: AgentName,
  refusals: [404],
  response: { status: 200, schema: AgentDetail },
  handler: async ({ services, caller, params }) =>
    describeAgentDetail(await catalogue.findListedAgent(services, caller, params.agent)),
});

export const listRelatedAgents = endpoint({
  operationId: "listRelatedAgents",
  ...shared,
  ...at(`${AGENTS}/:agent/related`),
  summary: "List related agents",
  params: AgentName,
  query: z.object({ limit: z.coerce.number().int().min(1).max(12).default(6) }),
  refusals: [404],
  response: { status: 200, schema: z.object({ related_agents: z.array(ListedAgentItem) }) },
  async handler({ services, caller, params, query: { limit } }) {
    const wish = { name: params.agent, limit };
    const related = await catalogue.findRelatedAgents(services, caller, wish);
    return { related_agents: related.map(describeListedAgent) };
  },
});

const Version = z.object({
  tag: z.string(),
  sha: z.string(),
  date: z.string().nullable().describe("Null: git hosts do not tell it with the tags"),
  url: z.string().nullable(),
});

export const listAgentVersions = endpoint({
  operationId: "listAgentVersions",
  ...shared,
  ...at(`${AGENTS}/:agent/versions`),
  summary: "List the versions of an agent",
  description: "Empty: an agent has its current version only.",
  params: AgentName,
  refusals: [404],
  response: { status: 200, schema: z.object({ versions: z.array(Version) }) },
  async handler({ services, caller, params }) {
    await catalogue.findListedAgent(services, caller, params.agent);
    return { versions: [] };
  },
});

export const listBases = endpoint({
  operationId: "listMarketplaceTemplates",
  ...shared,
  ...at(BASES),
  summary: "List templates of the marketplace",
  description: IS_PURCHASED,
  query: Query,
  response: { status: 200, schema: Envelope.extend({ bases: z.array(ListedBaseItem) }) },
  async handler({ services, caller, query }) {
    const { rows, total } = await catalogue.browseBases(services, caller, filterOf(query));
    return { bases: rows.map(describeListedBase), ...envelopeOf(total, query) };
  },
});

export const getBase = endpoint({
  operationId: "getMarketplaceTemplate",
  ...shared,
  ...at(`${BASES}/:base`),
  summary: "Get a template of the marketplace",
  description: IS_PURCHASED,
  params: BaseName,
  refusals: [404],
  response: { status: 200, schema: BaseDetail },
  handler: async ({ services, caller, params }) =>
    describeBaseDetail(await catalogue.findListedBase(services, caller, params.base)),
});

/** The page of a tag at the git host, where it is known. */
function pageOfTag(repository: string | null, tag: string): string | null {
  const address = repository === null ? null : URL.parse(repository);
  if (address?.hostname !== "github.com") return null;
  return `${address.origin}${address.pathname.replace(/\.git$/u, "")}/releases/tag/${encodeURIComponent(tag)}`;
}

export const listBaseVersions = endpoint({
  operationId: "listTemplateVersions",
  ...shared,
  ...at(`${BASES}/:base/versions`),
  summary: "List the versions of a template",
  description:
    "The newest five tags of its repository, highest version first; none for a template without one. A project is created from the newest state of the default branch.",
  params: BaseName,
  refusals: [404],
  response: {
    status: 200,
    schema: z.object({
      versions: z.array(Version),
      default_branch: z.string().nullable(),
      git_repo_url: z.string().nullable(),
    }),
  },
  async handler({ services, caller, params }) {
    const { base } = await catalogue.findListedBase(services, caller, params.base);
    const tags = await catalogue.listVersions(services, base);
    const versions = tags.map(({ name, sha }) => ({
      tag: name,
      sha: sha.slice(0, 7),
      date: null,
      url: pageOfTag(base.gitRepoUrl, name),
    }));
    return { versions, default_branch: base.defaultBranch, git_repo_url: base.gitRepoUrl };
  },
});

const EmptyList = Envelope.extend({
  skills: z.array(z.never()).optional(),
  mcp_servers: z.array(z.never()).optional(),
  themes: z.array(z.never()).optional(),
  workflows: z.array(z.never()).optional(),
}).meta({ id: "EmptyMarketplaceList" });

/** Kinds of items that the marketplace of this service does not have. */
const emptyList = (
  operationId: string,
  kind: "skills" | "mcp_servers" | "themes" | "workflows",
  path: string,
  noun: string,
) =>
  endpoint({
    operationId,
    ...shared,
    ...at(path),
    summary: `List ${noun} of the marketplace`,
    description: "Always empty: this marketplace has agents and templates.",
    query: z.object(Paging),
    response: {
      status: 200,
      schema: EmptyList,
    },
    handler: async ({ query }) => ({ [kind]: [], ...envelopeOf(0, query) }),
  });

export const listSkills = emptyList("listMarketplaceSkills", "skills", "/api/marketplace/skills", "skills");
export const listMcpServers = emptyList(
  "listMarketplaceMcpServers",
  "mcp_servers",
  "/api/marketplace/mcp-servers",
  "MCP servers",
);
export const listThemes = emptyList("listMarketplaceThemes", "themes", "/api/marketplace/themes", "themes");
export const listWorkflows = emptyList(
  "listMarketplaceWorkflows",
  "workflows",
  "/api/marketplace/workflows",
  "workflows",
);
