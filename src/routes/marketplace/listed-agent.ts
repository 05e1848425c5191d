import { z } from "zod";
import type { findListedAgent, ListedAgent } from "#src/domain/marketplace/catalogue/index.ts";
import { Moment } from "#src/http/schemas.ts";
import { dollars } from "./item.ts";

/** Name of the creator of the service's own items. */
const OFFICIAL = "Agent Workspace Service";

/** Fields that agents and templates have in common. */
export const commonFields = {
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  description: z.string(),
  long_description: z.string().nullable(),
  category: z.string(),
  icon: z.string().nullable(),
  pricing_type: z.enum(["free", "monthly", "one_time"]),
  price: z.number().describe("US dollars, once or per month"),
  usage_count: z.int(),
  downloads: z.int(),
  rating: z.number().describe("Mean of the reviews; 5 without any"),
  reviews_count: z.int(),
  features: z.array(z.string()),
  tags: z.array(z.string()),
  is_featured: z.boolean(),
  is_active: z.boolean(),
  is_forkable: z.boolean(),
  is_purchased: z.boolean().describe("Whether the active team has it, and may use it"),
  creator_type: z.enum(["official", "community"]),
  creator_name: z.string().nullable(),
  creator_username: z.string().nullable(),
  creator_avatar_url: z.string().nullable(),
  created_by_user_id: z.string().nullable(),
  source_handle: z.enum(["official", "local"]),
  source_trust_level: z.enum(["official", "local"]),
};

export const ReviewExcerpt = z.object({
  id: z.uuid(),
  rating: z.int(),
  comment: z.string().nullable(),
  created_at: Moment,
});

interface Maker {
  isOfficial: boolean;
  createdBy: string | null;
  creator: { name: string; username: string; avatarUrl: string | null } | null;
}

/** Who made an item, under the names of the wire. */
export function describeMaker({ isOfficial, createdBy, creator }: Maker) {
  const origin = isOfficial ? "official" : "local";
  return {
    creator_type: isOfficial ? ("official" as const) : ("community" as const),
    creator_name: isOfficial ? OFFICIAL : (creator?.name ?? null),
    creator_username: creator?.username ?? null,
    creator_avatar_url: creator?.avatarUrl ?? null,
    created_by_user_id: createdBy,
    source_handle: origin,
    source_trust_level: origin,
  } as const;
}

export const ListedAgentItem = z
  .object({
    ...commonFields,
    item_type: z.literal("agent"),
    mode: z.string(),
    agent_type: z.string(),
    model: z.string().nullable(),
    source_type: z.enum(["open", "closed"]),
    avatar_url: z.string().nullable(),
    forked_by_user_id: z.string().nullable(),
  })
  .meta({ id: "MarketplaceAgent" });

export const AgentDetail = ListedAgentItem.omit({ item_type: true })
  .extend({
    system_prompt: z.string().nullable().describe("Null where the viewer may not see it, as are the tools"),
    preview_image: z.null(),
    required_models: z.array(z.string()),
    tools: z.array(z.string()).nullable(),
    reviews: z.array(ReviewExcerpt),
  })
  .meta({ id: "MarketplaceAgentDetail" });

type Described = Omit<ListedAgent, "agent"> & {
  agent: Omit<ListedAgent["agent"], "systemPrompt" | "tools" | "config" | "toolConfigs">;
};

export function describeListedAgent({
  agent,
  creator,
  rating,
  isPurchased,
}: Described): z.input<typeof ListedAgentItem> {
  return {
    id: agent.id,
    name: agent.name,
    slug: agent.slug,
    description: agent.description,
    long_description: agent.longDescription,
    category: agent.category,
    item_type: "agent",
    mode: agent.mode,
    agent_type: agent.agentType,
    model: agent.model,
    source_type: agent.sourceType,
    is_forkable: agent.isForkable,
    is_active: agent.isActive,
    icon: agent.icon,
    avatar_url: agent.avatarUrl,
    pricing_type: agent.pricingType,
    price: dollars(agent.priceCents),
    usage_count: agent.downloads,
    downloads: agent.downloads,
    rating,
    reviews_count: agent.reviewsCount,
    features: agent.features,
    tags: agent.tags,
    is_featured: agent.isFeatured,
    is_purchased: isPurchased,
    ...describeMaker({ isOfficial: agent.teamId === null, createdBy: agent.createdBy, creator }),
    forked_by_user_id: agent.parentAgentId === null ? null : agent.createdBy,
  };
}

export function describeAgentDetail(
  found: Awaited<ReturnType<typeof findListedAgent>>,
): z.input<typeof AgentDetail> {
  const { agent, reviews } = found;
  return {
    ...describeListedAgent(found),
    system_prompt: agent.systemPrompt,
    preview_image: null,
    required_models: agent.model === null ? [] : [agent.model],
    tools: agent.tools,
    reviews: reviews.map(describeExcerpt),
  };
}

export const describeExcerpt = (review: {
  id: string;
  rating: number;
  comment: string | null;
  createdAt: Date;
}): z.input<typeof ReviewExcerpt> => ({
  id: review.id,
  rating: review.rating,
  comment: review.comment,
  created_at: review.createdAt.toISOString(),
});
