import { z } from "zod";
import type { findListedBase, ListedBase } from "#src/domain/marketplace/catalogue/index.ts";
import { dollars } from "./item.ts";
import { commonFields, describeExcerpt, describeMaker, ReviewExcerpt } from "./listed-agent.ts";

export const ListedBaseItem = z
  .object({
    ...commonFields,
    pricing_type: z.enum(["free", "one_time"]),
    is_forkable: z.literal(false),
    git_repo_url: z.string().nullable(),
    default_branch: z.string().nullable(),
    preview_image: z.string().nullable(),
    tech_stack: z.array(z.string()),
    source_type: z.enum(["git", "archive"]),
    visibility: z.enum(["private", "public"]),
  })
  .meta({ id: "MarketplaceBase" });

export const BaseDetail = ListedBaseItem.extend({
  archive_size_bytes: z.int().nullable().describe("Null for a template that is cloned"),
  reviews: z.array(ReviewExcerpt),
}).meta({ id: "MarketplaceBaseDetail" });

export function describeListedBase({
  base,
  creator,
  rating,
  isPurchased,
}: ListedBase): z.input<typeof ListedBaseItem> {
  return {
    id: base.id,
    name: base.name,
    slug: base.slug,
    description: base.description,
    long_description: base.longDescription,
    git_repo_url: base.gitRepoUrl,
    default_branch: base.defaultBranch,
    category: base.category,
    icon: base.icon,
    preview_image: base.previewImage,
    pricing_type: base.pricingType,
    price: dollars(base.priceCents),
    usage_count: base.downloads,
    downloads: base.downloads,
    rating,
    reviews_count: base.reviewsCount,
    features: base.features,
    tech_stack: base.techStack,
    tags: base.tags,
    is_featured: base.isFeatured,
    is_active: true,
    is_forkable: false,
    is_purchased: isPurchased,
    source_type: base.source === "git" ? "git" : "archive",
    visibility: base.visibility,
    ...describeMaker({ isOfficial: base.source === "service", createdBy: base.createdBy, creator }),
  };
}

export function describeBaseDetail(
  found: Awaited<ReturnType<typeof findListedBase>>,
): z.input<typeof BaseDetail> {
  const { base, reviews } = found;
  return {
    ...describeListedBase(found),
    archive_size_bytes: base.source === "git" ? null : base.totalBytes,
    reviews: reviews.map(describeExcerpt),
  };
}
