import { z } from "zod";
import * as creators from "#src/domain/marketplace/creators/index.ts";
import { endpoint, type Endpoint } from "#src/http/endpoint.ts";
import { Moment, text } from "#src/http/schemas.ts";
import { describeListedAgent, ListedAgentItem } from "../marketplace/listed-agent.ts";

const shared = { method: "get", tag: "Creators", access: "visitors", refusals: [404] } as const;
const CreatorParams = z.object({ creator: z.string() });
const NameParams = z.object({ creator_name: text({ max: 100 }) });

const Stats = z.object({
  agents_count: z.int(),
  bases_count: z.int(),
  total_downloads: z.int(),
  total_reviews: z.int(),
  average_rating: z.number().describe("5 without reviews"),
});

const Creator = Stats.extend({
  id: z.uuid(),
  name: z.string(),
  username: z.string(),
  avatar_url: z.string().nullable(),
  bio: z.string().nullable(),
  twitter_handle: z.string().nullable(),
  github_username: z.string().nullable(),
  website_url: z.string().nullable(),
  joined_at: Moment,
}).meta({ id: "Creator" });

const describeStats = ({ agents, bases, downloads, reviews, ratingSum }: creators.Creator) => ({
  agents_count: agents,
  bases_count: bases,
  total_downloads: downloads,
  total_reviews: reviews,
  average_rating: reviews === 0 ? 5 : ratingSum / reviews,
});

const describe = (creator: creators.Creator): z.input<typeof Creator> => ({
  ...describeStats(creator),
  id: creator.user.id,
  name: creator.user.name,
  username: creator.user.username,
  avatar_url: creator.user.avatarUrl,
  bio: creator.user.bio,
  twitter_handle: creator.user.twitterHandle,
  github_username: creator.user.githubUsername,
  website_url: creator.user.websiteUrl,
  joined_at: creator.user.createdAt.toISOString(),
});

const getCreator = endpoint({
  operationId: "getCreator",
  ...shared,
  path: "/api/creators/:creator",
  summary: "Get a creator",
  description: "A person who has something in the marketplace.",
  params: CreatorParams,
  response: { status: 200, schema: Creator },
  handler: async ({ services, params }) => describe(await creators.requireCreator(services, params.creator)),
});

const getCreatorByUsername = endpoint({
  operationId: "getCreatorByUsername",
  ...shared,
  path: "/api/creators/by-username/:creator_name",
  summary: "Get a creator by username",
  params: NameParams,
  response: { status: 200, schema: Creator },
  handler: async ({ services, params }) =>
    describe(await creators.requireCreatorNamed(services, params.creator_name)),
});

const checkUsername = endpoint({
  operationId: "checkCreatorUsername",
  ...shared,
  path: "/api/creators/check-username/:creator_name",
  summary: "Check whether a username is free",
  params: NameParams,
  response: { status: 200, schema: z.object({ available: z.boolean(), reason: z.string().nullable() }) },
  async handler({ services, params }) {
    const refusal = await creators.refusalOfName(services, params.creator_name);
    return { available: refusal === undefined, reason: refusal ?? null };
  },
});

const listAgents = endpoint({
  operationId: "listCreatorAgents",
  ...shared,
  path: "/api/creators/:creator/agents",
  summary: "List a creator's agents",
  description: "Those in the marketplace, newest first.",
  params: CreatorParams,
  query: z.object({
    page: z.coerce.number().int().min(1).max(1_000_000).default(1),
    limit: z.coerce.number().int().min(1).max(100).default(20),
  }),
  response: {
    status: 200,
    schema: z.object({
      agents: z.array(ListedAgentItem),
      total: z.int(),
      page: z.int(),
      limit: z.int(),
      pages: z.int(),
    }),
  },
  async handler({ services, caller, params, query: { page, limit } }) {
    const wish = { id: params.creator, page, limit };
    const { rows, total } = await creators.listAgentsOfCreator(services, caller, wish);
    return { agents: rows.map(describeListedAgent), total, page, limit, pages: Math.ceil(total / limit) };
  },
});

const getStats = endpoint({
  operationId: "getCreatorStats",
  ...shared,
  path: "/api/creators/:creator/stats",
  summary: "Get a creator's numbers",
  params: CreatorParams,
  response: { status: 200, schema: Stats },
  handler: async ({ services, params }) =>
    describeStats(await creators.requireCreator(services, params.creator)),
});

/** Public pages of people who have something in the marketplace. Literal paths come before the parameter. */
export const creatorEndpoints: readonly Endpoint[] = [
  getCreatorByUsername,
  checkUsername,
  listAgents,
  getStats,
  getCreator,
];
