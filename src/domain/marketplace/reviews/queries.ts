import { and, count, desc, eq, sql, type SQL } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import { pictureAddress } from "#src/db/picture-address.ts";
import { reviews, users } from "#src/db/schema/index.ts";
import type { ItemKind } from "#src/domain/organisations/library/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

export interface ReviewOf {
  kind: ItemKind;
  itemId: string;
  userId: string;
}

const tableOf = (kind: ItemKind): SQL => (kind === "agent" ? sql`agents` : sql`bases`);
const columnOf = (kind: ItemKind): SQL => (kind === "agent" ? sql`agent_id` : sql`base_id`);

/** Serialises the reviews of one person on one item, so that sum and number stay those of the rows. */
const lockReview = (db: Db, { itemId, userId }: ReviewOf) => lockNames(db, [`review:${itemId}:${userId}`]);

/** Adds a person's review of an item, or replaces it; the item's sum and number of ratings follow. */
export async function upsertReview(
  db: Db,
  review: ReviewOf & { rating: number; comment: string | null },
): Promise<void> {
  const { kind, itemId, userId, rating, comment } = review;
  const column = columnOf(kind);
  await db.batch([
    lockReview(db, review),
    db.execute(sql`
      WITH old AS (
        SELECT rating FROM reviews WHERE ${column} = ${itemId}::uuid AND user_id = ${userId}::uuid
      ), written AS (
        INSERT INTO reviews (id, ${column}, user_id, rating, comment)
        VALUES (${newId()}::uuid, ${itemId}::uuid, ${userId}::uuid, ${rating}::int, ${comment}::text)
        ON CONFLICT (${column}, user_id) DO UPDATE
          SET rating = excluded.rating, comment = excluded.comment, updated_at = now()
        RETURNING rating
      )
      UPDATE ${tableOf(kind)} SET
        rating_sum = rating_sum + written.rating - coalesce((SELECT rating FROM old), 0),
        reviews_count = reviews_count + CASE WHEN EXISTS (SELECT 1 FROM old) THEN 0 ELSE 1 END
      FROM written WHERE id = ${itemId}::uuid
    `),
  ]);
}

/** Deletes a person's review of an item. False if there is none. */
export async function deleteReviewRow(db: Db, review: ReviewOf): Promise<boolean> {
  const { kind, itemId, userId } = review;
  const [, { rows }] = await db.batch([
    lockReview(db, review),
    db.execute(sql`
      WITH gone AS (
        DELETE FROM reviews WHERE ${columnOf(kind)} = ${itemId}::uuid AND user_id = ${userId}::uuid RETURNING rating
      )
      UPDATE ${tableOf(kind)} SET rating_sum = rating_sum - gone.rating, reviews_count = reviews_count - 1
      FROM gone WHERE id = ${itemId}::uuid
      RETURNING id
    `),
  ]);
  return rows.length > 0;
}

/**
 * Part of a WITH list that deletes people, whose reviews go with them: their ratings leave the sums of what they reviewed.
 * `people` names the rows of the deleted people.
 */
export function withoutRatingsOf(people: SQL): SQL {
  return sql`unrated_agents AS (
    UPDATE agents SET rating_sum = rating_sum - rated.rating, reviews_count = reviews_count - 1
    FROM reviews AS rated JOIN ${people} AS person ON person.id = rated.user_id WHERE rated.agent_id = agents.id
  ), unrated_bases AS (
    UPDATE bases SET rating_sum = rating_sum - rated.rating, reviews_count = reviews_count - 1
    FROM reviews AS rated JOIN ${people} AS person ON person.id = rated.user_id WHERE rated.base_id = bases.id
  )`;
}

/** A page of the reviews of an item, newest first, with their authors, their number, and the viewer's own one. */
export async function pageOfReviews(
  db: Db,
  { kind, itemId, userId }: Pick<ReviewOf, "kind" | "itemId"> & { userId: string | undefined },
  { page, limit }: { page: number; limit: number },
) {
  const where = eq(kind === "agent" ? reviews.agentId : reviews.baseId, itemId);
  const [rows, [total], [own]] = await db.batch([
    db
      .select({ review: reviews, userName: users.name, avatarUrl: pictureAddress })
      .from(reviews)
      .innerJoin(users, eq(users.id, reviews.userId))
      .where(where)
      .orderBy(desc(reviews.createdAt), desc(reviews.id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(reviews).where(where),
    db
      .select({ rating: reviews.rating, comment: reviews.comment })
      .from(reviews)
      .where(and(where, sql`${reviews.userId} = ${userId ?? null}::uuid`)),
  ]);
  return { rows, total: total?.total ?? 0, own };
}
