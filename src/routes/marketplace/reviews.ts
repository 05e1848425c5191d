import { z } from "zod";
import * as reviews from "#src/domain/marketplace/reviews/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Message, Moment, text } from "#src/http/schemas.ts";
import { AgentName, AGENTS, BaseName, BASES } from "./item.ts";

const Rating = z.object({
  rating: z.coerce.number().int().min(1).max(5),
  comment: text({ max: 5000 }).optional(),
});

const Page = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  limit: z.coerce.number().int().min(1).max(50).default(10),
});

const Reviews = z
  .object({
    reviews: z.array(
      z.object({
        id: z.uuid(),
        rating: z.int(),
        comment: z.string().nullable(),
        created_at: Moment,
        user_id: z.uuid(),
        user_name: z.string(),
        user_avatar_url: z.string().nullable(),
        is_own_review: z.boolean(),
      }),
    ),
    total: z.int(),
    page: z.int(),
    limit: z.int(),
    has_more: z.boolean(),
    own_review: z
      .object({ rating: z.int(), comment: z.string().nullable() })
      .nullable()
      .describe("The caller's review, whichever page it is on; null without one"),
  })
  .meta({ id: "Reviews" });

const Reviewed = z.object({ message: z.string(), rating: z.int() }).meta({ id: "SavedReview" });

const reviewing = {
  tag: "Marketplace",
  access: { user: "any" },
  summary: "Review an agent or a template",
  description: "Of a team that has it in its library; an earlier review of the caller is replaced.",
  query: Rating,
  refusals: [403, 404],
  response: { status: 200, schema: Reviewed },
} as const;

export const reviewAgent = endpoint({
  operationId: "reviewAgent",
  ...reviewing,
  method: "post",
  path: `${AGENTS}/:agent/review`,
  params: AgentName,
  async handler({ services, caller, params, query: { rating, comment = null } }) {
    await reviews.reviewItem(services, caller, { kind: "agent", name: params.agent, rating, comment });
    return { message: "Review saved", rating };
  },
});

export const reviewBase = endpoint({
  operationId: "reviewTemplate",
  ...reviewing,
  method: "post",
  path: `${BASES}/:base/review`,
  params: BaseName,
  async handler({ services, caller, params, query: { rating, comment = null } }) {
    await reviews.reviewItem(services, caller, { kind: "base", name: params.base, rating, comment });
    return { message: "Review saved", rating };
  },
});

const deleting = {
  tag: "Marketplace",
  access: { user: "any" },
  summary: "Delete the caller's review",
  refusals: [404],
  response: { status: 200, schema: Message },
} as const;

export const deleteAgentReview = endpoint({
  operationId: "deleteAgentReview",
  ...deleting,
  method: "delete",
  path: `${AGENTS}/:agent/review`,
  params: AgentName,
  async handler({ services, caller, params }) {
    await reviews.deleteReview(services, caller, { kind: "agent", name: params.agent });
    return { message: "Review deleted" };
  },
});

export const deleteBaseReview = endpoint({
  operationId: "deleteTemplateReview",
  ...deleting,
  method: "delete",
  path: `${BASES}/:base/review`,
  params: BaseName,
  async handler({ services, caller, params }) {
    await reviews.deleteReview(services, caller, { kind: "base", name: params.base });
    return { message: "Review deleted" };
  },
});

const listing = {
  tag: "Marketplace",
  access: "visitors",
  summary: "List reviews",
  description: "Newest first.",
  query: Page,
  refusals: [404],
  response: { status: 200, schema: Reviews },
} as const;

export const listAgentReviews = endpoint({
  operationId: "listAgentReviews",
  ...listing,
  method: "get",
  path: `${AGENTS}/:agent/reviews`,
  params: AgentName,
  async handler({ services, caller, params, query }) {
    const wish = { kind: "agent", name: params.agent, ...query } as const;
    return describe(await reviews.listReviews(services, caller, wish), query, caller?.userId);
  },
});

export const listBaseReviews = endpoint({
  operationId: "listTemplateReviews",
  ...listing,
  method: "get",
  path: `${BASES}/:base/reviews`,
  params: BaseName,
  async handler({ services, caller, params, query }) {
    const wish = { kind: "base", name: params.base, ...query } as const;
    return describe(await reviews.listReviews(services, caller, wish), query, caller?.userId);
  },
});

function describe(
  { rows, total, own }: Awaited<ReturnType<typeof reviews.listReviews>>,
  { page, limit }: z.output<typeof Page>,
  viewerId: string | undefined,
): z.input<typeof Reviews> {
  return {
    reviews: rows.map(({ review, userName, avatarUrl }) => ({
      id: review.id,
      rating: review.rating,
      comment: review.comment,
      created_at: review.createdAt.toISOString(),
      user_id: review.userId,
      user_name: userName,
      user_avatar_url: avatarUrl,
      is_own_review: review.userId === viewerId,
    })),
    total,
    page,
    limit,
    has_more: page * limit < total,
    own_review: own ?? null,
  };
}
