import { z } from "zod";
import type { Base as StoredBase } from "#src/domain/workspaces/bases/index.ts";
import { Moment, text } from "#src/http/schemas.ts";

export const BaseParams = z.object({ base: z.string().max(100).describe("Id or slug of the template") });

/** Fields of a new template. */
export const BaseFields = z.object({
  name: text({ min: 1, max: 200, trim: true }),
  slug: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u, "must be lowercase letters, digits and single hyphens")
    .optional(),
  description: text({ max: 10_000 }).default(""),
  visibility: z.enum(["private", "public"]).default("private"),
});

export const Base = z
  .object({
    id: z.uuid(),
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    visibility: z.enum(["private", "public"]),
    created_by: z.uuid().nullable().describe("Null for the service's own"),
    file_count: z.int(),
    total_bytes: z.int(),
    created_at: Moment,
  })
  .meta({ id: "Base" });

export function describeBase(base: StoredBase): z.input<typeof Base> {
  return {
    id: base.id,
    slug: base.slug,
    name: base.name,
    description: base.description,
    visibility: base.visibility,
    created_by: base.createdBy,
    file_count: base.fileCount,
    total_bytes: base.totalBytes,
    created_at: base.createdAt.toISOString(),
  };
}

/** The fields above under the names of the domain. */
export function wishOf({ name, slug, description, visibility }: z.output<typeof BaseFields>) {
  return { name, slug, description, visibility };
}
