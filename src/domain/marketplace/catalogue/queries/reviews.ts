import { desc, sql, type SQL } from "drizzle-orm";
import { reviews } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

const SHOWN = 5;

/** The newest reviews of an agent or a template; `itemId` is a SQL value. */
export function newestReviews(db: Db, kind: "agent" | "base", itemId: SQL) {
  return db
    .select({
      id: reviews.id,
      rating: reviews.rating,
      comment: reviews.comment,
      createdAt: reviews.createdAt,
    })
    .from(reviews)
    .where(sql`${kind === "agent" ? reviews.agentId : reviews.baseId} = ${itemId}`)
    .orderBy(desc(reviews.createdAt), desc(reviews.id))
    .limit(SHOWN);
}
