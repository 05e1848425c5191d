import { and, count, eq, sql, type SQL } from "drizzle-orm";
import { bases, users } from "#src/db/schema/index.ts";
import { isGuid } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { newestReviews } from "./reviews.ts";
import {
  contains,
  creator,
  idsOfPage,
  orderOf,
  ratingOf,
  teamOfViewer,
  type CatalogueFilter,
} from "./shared.ts";

const isTaken = (userId: string | undefined): SQL<boolean> =>
  userId === undefined
    ? sql<boolean>`false`
    : sql<boolean>`EXISTS (
        SELECT 1 FROM library_bases AS taken WHERE taken.team_id = ${teamOfViewer(userId)}
          AND taken.base_id = bases.id AND taken.ended_at IS NULL
      )`;

const fields = (userId: string | undefined) => ({
  base: bases,
  creator,
  rating: ratingOf("bases"),
  isPurchased: isTaken(userId),
});

/** SQL condition: the marketplace lists the template. As an index has it. */
const isListed = sql<boolean>`(bases.visibility = 'public')`;

const where = (filter: CatalogueFilter): SQL | undefined =>
  and(
    isListed,
    filter.category === undefined ? undefined : eq(bases.category, filter.category),
    filter.pricingType === undefined ? undefined : sql`${bases.pricingType} = ${filter.pricingType}::text`,
    filter.source === undefined
      ? undefined
      : sql`CASE WHEN bases.source = 'service' THEN 'official' ELSE 'local' END = ${filter.source}::text`,
    filter.search === undefined
      ? undefined
      : contains(sql`ARRAY[bases.name, bases.description]`, filter.search),
  );

/** A page of the templates in the marketplace, and their number. One round trip. */
export async function pageOfBases(db: Db, filter: CatalogueFilter, userId: string | undefined) {
  const [rows, [total]] = await db.batch([
    db
      .select(fields(userId))
      .from(bases)
      .leftJoin(users, eq(users.id, bases.createdBy))
      .where(sql`${bases.id} IN ${idsOfPage("bases", where(filter), filter)}`)
      .orderBy(orderOf("bases", filter.sort)),
    db.select({ total: count() }).from(bases).where(where(filter)),
  ]);
  return { rows, total: total?.total ?? 0 };
}

/** A public template, or one of the viewer's own, with its newest reviews. One round trip. */
export async function baseWithReviews(db: Db, idOrSlug: string, userId: string | undefined) {
  const named = isGuid(idOrSlug) ? eq(bases.id, idOrSlug) : eq(bases.slug, idOrSlug);
  const isVisible = sql`(bases.visibility = 'public' OR bases.created_by = ${userId ?? null}::uuid)`;
  const that = sql`(SELECT bases.id FROM bases WHERE ${named} AND ${isVisible})`;
  const [[row], reviews] = await db.batch([
    db
      .select(fields(userId))
      .from(bases)
      .leftJoin(users, eq(users.id, bases.createdBy))
      .where(sql`${bases.id} = ${that}`),
    newestReviews(db, "base", that),
  ]);
  return row && { ...row, reviews };
}

export type ListedBase = Awaited<ReturnType<typeof pageOfBases>>["rows"][number];
