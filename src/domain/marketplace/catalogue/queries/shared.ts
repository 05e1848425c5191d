import { sql, type SQL } from "drizzle-orm";
import { containing } from "#src/db/containing.ts";
import { pictureAddress } from "#src/db/picture-address.ts";
import { users } from "#src/db/schema/index.ts";

export const SORTS = ["featured", "popular", "newest", "name", "rating", "price_asc", "price_desc"] as const;
export type Sort = (typeof SORTS)[number];

export interface CatalogueFilter {
  category?: string | undefined;
  pricingType?: string | undefined;
  /** Part of the name or the description, and of an agent's tags, in upper or lower case. */
  search?: string | undefined;
  /** `official` or `local`: made by the service itself, or by its users. */
  source?: string | undefined;
  /** The person who made it. */
  creatorId?: string | undefined;
  sort: Sort;
  /** From 1. */
  page: number;
  limit: number;
}

/** Who made an item, as it is shown. */
export const creator = { name: users.name, username: users.username, avatarUrl: pictureAddress };

/** SQL value: the team that a person works in, if the person is still a member; null for a visitor. */
export const teamOfViewer = (userId: string | undefined): SQL<string | null> =>
  userId === undefined
    ? sql`NULL::uuid`
    : sql`(SELECT viewer.default_team_id FROM users AS viewer JOIN team_memberships AS m
        ON m.team_id = viewer.default_team_id AND m.user_id = viewer.id WHERE viewer.id = ${userId}::uuid)`;

/** SQL value: mean of the ratings, 5 without any. `table` has a sum and a number of reviews. */
export const ratingOf = (table: "agents" | "bases"): SQL<number> => {
  const column = (name: string) => sql.raw(`${table}.${name}`);
  return sql<number>`CASE WHEN ${column("reviews_count")} = 0 THEN 5
    ELSE ${column("rating_sum")}::float8 / ${column("reviews_count")} END`;
};

/** SQL condition: one of an item's texts contains another text, in upper or lower case. Served by an index of the same words. */
export const contains = (texts: SQL, part: string): SQL =>
  sql`search_text(${texts}) LIKE lower(${containing(part)}::text)`;

/**
 * SQL query: the ids of a page. The rows follow for these alone: an item with its prompt is too wide to be sorted in memory by
 * the thousand.
 */
export const idsOfPage = (table: "agents" | "bases", where: SQL | undefined, filter: CatalogueFilter): SQL =>
  sql`(SELECT id FROM ${sql.raw(table)} WHERE ${where} ORDER BY ${orderOf(table, filter.sort)}
    LIMIT ${filter.limit} OFFSET ${(filter.page - 1) * filter.limit})`;

/** How a list is ordered. Equals are ordered by their ids, so that each is on one page. */
export function orderOf(table: "agents" | "bases", sort: Sort): SQL {
  const column = (name: string) => sql.raw(`${table}.${name}`);
  const orders: Record<Sort, SQL> = {
    featured: sql`${column("is_featured")} DESC, ${column("downloads")} DESC`,
    popular: sql`${column("downloads")} DESC`,
    newest:
      table === "agents"
        ? sql`coalesce(agents.published_at, agents.created_at) DESC`
        : sql`bases.created_at DESC`,
    name: sql`lower(${column("name")})`,
    rating: sql`${ratingOf(table)} DESC, ${column("reviews_count")} DESC`,
    price_asc: sql`${column("price_cents")}`,
    price_desc: sql`${column("price_cents")} DESC`,
  };
  return sql`${orders[sort]}, ${column("id")}`;
}
