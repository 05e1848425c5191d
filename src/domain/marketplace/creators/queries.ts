import { and, eq, sql, type SQL } from "drizzle-orm";
import { pictureAddress } from "#src/db/picture-address.ts";
import { users } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** What a person has in the marketplace, as SQL values of the row `users`. */
const published = sql`agents.created_by = users.id AND agents.is_active AND agents.is_published AND agents.team_id IS NOT NULL`;
const shared = sql`bases.created_by = users.id AND bases.visibility = 'public'`;
const number = (of: SQL) => sql<number>`(${of})::int`;

/** A person who has something in the marketplace, and its numbers. */
async function creatorWhere(db: Db, which: SQL | undefined) {
  const [row] = await db
    .select({
      user: {
        id: users.id,
        name: users.name,
        username: users.username,
        avatarUrl: pictureAddress,
        bio: users.bio,
        twitterHandle: users.twitterHandle,
        githubUsername: users.githubUsername,
        websiteUrl: users.websiteUrl,
        createdAt: users.createdAt,
      },
      agents: number(sql`SELECT count(*) FROM agents WHERE ${published}`),
      bases: number(sql`SELECT count(*) FROM bases WHERE ${shared}`),
      downloads: number(sql`(SELECT coalesce(sum(downloads), 0) FROM agents WHERE ${published})
        + (SELECT coalesce(sum(downloads), 0) FROM bases WHERE ${shared})`),
      reviews: number(sql`(SELECT coalesce(sum(reviews_count), 0) FROM agents WHERE ${published})
        + (SELECT coalesce(sum(reviews_count), 0) FROM bases WHERE ${shared})`),
      ratingSum: number(sql`(SELECT coalesce(sum(rating_sum), 0) FROM agents WHERE ${published})
        + (SELECT coalesce(sum(rating_sum), 0) FROM bases WHERE ${shared})`),
    })
    .from(users)
    .where(
      and(
        which,
        eq(users.isActive, true),
        sql`(EXISTS (SELECT 1 FROM agents WHERE ${published}) OR EXISTS (SELECT 1 FROM bases WHERE ${shared}))`,
      ),
    );
  return row;
}

export const creatorById = (db: Db, id: string) => creatorWhere(db, eq(users.id, id));

export const creatorByUsername = (db: Db, username: string) =>
  creatorWhere(db, sql`lower(${users.username}) = lower(${username}::text)`);

export async function isUsernameTaken(db: Db, username: string): Promise<boolean> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(sql`lower(${users.username}) = lower(${username}::text)`);
  return rows.length > 0;
}
