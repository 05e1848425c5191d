import { sql } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";

/** Days in which payments are refunded or contested. */
const DAYS = 180;

/** Payments that were never reviewed, or not for a day; in no order, as those that fail each time would be first for ever. */
export async function paymentsToReview(
  db: Db,
  limit: number,
): Promise<{ paymentIntentId: string; chargeId: string | null }[]> {
  const { rows } = await db.execute<{ paymentIntentId: string; chargeId: string | null }>(sql`
    SELECT payment_intent_id AS "paymentIntentId", charge_id AS "chargeId" FROM transactions
    WHERE reverses_id IS NULL AND payment_intent_id IS NOT NULL
      AND created_at > now() - make_interval(days => ${DAYS}::int)
      AND coalesce(observed_at, '-infinity') < now() - interval '1 day'
    ORDER BY random() LIMIT ${limit}
  `);
  return rows;
}
