import { z } from "zod";
import * as authoring from "#src/domain/marketplace/authoring/index.ts";
import type { Base } from "#src/domain/workspaces/bases/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment, text } from "#src/http/schemas.ts";
import { Price } from "./authoring.ts";
import { BaseName, BASES, dollars } from "./item.ts";

const shared = { tag: "Marketplace", access: { user: "any" } } as const;
const Visibility = z.enum(["private", "public"]);
const Words = z.array(text({ min: 1, max: 100, trim: true })).max(50);

const Fields = z.object({
  name: text({ min: 1, max: 200, trim: true }),
  description: text({ max: 10_000 }),
  git_repo_url: text({ max: 2000, trim: true })
    .regex(/^https:\/\//u, "must begin with https://")
    .describe("Without credentials. Cloned for each new project"),
  category: z.enum(["fullstack", "frontend", "backend", "mobile", "data", "devops"]),
  default_branch: text({ min: 1, max: 255, trim: true }),
  visibility: Visibility,
  long_description: text({ max: 50_000 }).nullable(),
  icon: text({ max: 200 }).nullable(),
  tags: Words,
  features: Words,
  tech_stack: Words,
});

const PricingType = z.enum(["free", "one_time"]);

const Change = Fields.omit({ visibility: true })
  .extend({ pricing_type: PricingType, price: Price })
  .partial();

const Submission = z.object({
  ...Fields.shape,
  default_branch: Fields.shape.default_branch.default("main"),
  visibility: Visibility.default("private"),
  long_description: Fields.shape.long_description.optional(),
  icon: Fields.shape.icon.optional(),
  tags: Words.nullish(),
  features: Words.nullish(),
  tech_stack: Words.nullish(),
  pricing_type: PricingType.default("free"),
  price: Price.optional(),
});

const Done = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    visibility: Visibility,
    success: z.literal(true),
  })
  .meta({ id: "ChangedTemplate" });

const done = ({ id, name, slug, visibility }: Base) => ({
  id,
  name,
  slug,
  visibility,
  success: true as const,
});

type Sent = { [Field in keyof z.output<typeof Change>]?: z.output<typeof Change>[Field] | null | undefined };

/** The fields that are there, under the names of the domain. */
function changeOf(sent: Sent) {
  return {
    ...(sent.name != null && { name: sent.name }),
    ...(sent.description != null && { description: sent.description }),
    ...(sent.git_repo_url != null && { gitRepoUrl: sent.git_repo_url }),
    ...(sent.category != null && { category: sent.category }),
    ...(sent.default_branch != null && { defaultBranch: sent.default_branch }),
    ...(sent.long_description !== undefined && { longDescription: sent.long_description }),
    ...(sent.icon !== undefined && { icon: sent.icon }),
    ...(sent.tags != null && { tags: sent.tags }),
    ...(sent.features != null && { features: sent.features }),
    ...(sent.tech_stack != null && { techStack: sent.tech_stack }),
  };
}

export const submitBase = endpoint({
  operationId: "submitMarketplaceTemplate",
  ...shared,
  method: "post",
  path: `${BASES}/submit`,
  summary: "Submit a template",
  description:
    "A repository that is cloned for each new project. A template that is paid costs 1 to 999 dollars, once.",
  example: {
    name: "Starter",
    description: "A small web page",
    git_repo_url: "https://github.com/example/starter",
    category: "frontend",
  },
  body: Submission,
  refusals: [400, 403, 404, 409],
  response: { status: 200, schema: Done },
  async handler({ services, caller, body }) {
    const { name, description, git_repo_url: gitRepoUrl, visibility, pricing_type: pricingType } = body;
    const priceCents = authoring.centsOf(pricingType, body.price);
    const wish = { name, description, gitRepoUrl, visibility, pricingType, priceCents };
    return done(await authoring.submitBase(services, caller, { ...changeOf(body), ...wish }));
  },
});

const changing = {
  ...shared,
  params: BaseName,
  refusals: [400, 403, 404],
  response: { status: 200, schema: Done },
} as const;

export const updateBase = endpoint({
  operationId: "updateMarketplaceTemplate",
  ...changing,
  method: "patch",
  path: `${BASES}/:base`,
  summary: "Update a template",
  description:
    "One of the caller's own. Absent fields are unchanged. Teams that have it keep it when its price changes.",
  example: { description: "A small web page" },
  body: Change,
  async handler({ services, caller, params, body }) {
    const pricing = { type: body.pricing_type, dollars: body.price };
    const wish = { name: params.base, change: changeOf(body), pricing };
    return done(await authoring.changeBase(services, caller, wish));
  },
});

export const setVisibility = endpoint({
  operationId: "updateMarketplaceTemplateVisibility",
  ...changing,
  method: "patch",
  path: `${BASES}/:base/visibility`,
  summary: "Change who sees a template",
  description: "One of the caller's own. A public template is in the marketplace.",
  example: { visibility: "public" },
  body: z.object({ visibility: Visibility }),
  async handler({ services, caller, params, body }) {
    return done(await authoring.changeBase(services, caller, { name: params.base, change: body }));
  },
});

export const deleteBase = endpoint({
  operationId: "deleteMarketplaceTemplate",
  ...shared,
  method: "delete",
  path: `${BASES}/:base`,
  summary: "Delete a template of the marketplace",
  description: "One of the caller's own, for which no team paid. Projects created from it keep their files.",
  params: BaseName,
  refusals: [400, 403, 404],
  response: {
    status: 200,
    schema: z.object({ id: z.uuid(), message: z.string(), success: z.literal(true) }),
  },
  async handler({ services, caller, params }) {
    const id = await authoring.removeBase(services, caller, params.base);
    return { id, message: "Template deleted", success: true as const };
  },
});

const CreatedBase = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    git_repo_url: z.string().nullable(),
    default_branch: z.string().nullable(),
    category: z.string(),
    icon: z.string().nullable(),
    visibility: Visibility,
    pricing_type: PricingType,
    price: z.number(),
    downloads: z.int(),
    features: z.array(z.string()),
    tech_stack: z.array(z.string()),
    tags: z.array(z.string()),
    created_at: Moment,
  })
  .meta({ id: "CreatedBase" });

const describe = (base: Base): z.input<typeof CreatedBase> => ({
  id: base.id,
  name: base.name,
  slug: base.slug,
  description: base.description,
  git_repo_url: base.gitRepoUrl,
  default_branch: base.defaultBranch,
  category: base.category,
  icon: base.icon,
  visibility: base.visibility,
  pricing_type: base.pricingType,
  price: dollars(base.priceCents),
  downloads: base.downloads,
  features: base.features,
  tech_stack: base.techStack,
  tags: base.tags,
  created_at: base.createdAt.toISOString(),
});

export const listCreatedBases = endpoint({
  operationId: "listMyTemplates",
  ...shared,
  method: "get",
  path: "/api/marketplace/my-created-bases",
  summary: "List the caller's own templates",
  description: "Newest first.",
  response: { status: 200, schema: z.object({ bases: z.array(CreatedBase) }) },
  handler: async ({ services, caller }) => ({
    bases: (await authoring.listCreatedBases(services, caller)).map(describe),
  }),
});

export const listItems = endpoint({
  operationId: "listMyItems",
  ...shared,
  method: "get",
  path: "/api/marketplace/my-items",
  summary: "List what the caller made",
  description: "Templates; services, deployments and workflows are not offered here.",
  response: {
    status: 200,
    schema: z.object({ items: z.array(CreatedBase.extend({ type: z.literal("base") })) }),
  },
  handler: async ({ services, caller }) => ({
    items: (await authoring.listCreatedBases(services, caller)).map((base) => ({
      ...describe(base),
      type: "base" as const,
    })),
  }),
});
