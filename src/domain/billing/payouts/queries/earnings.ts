import { sql } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";

/** A creator's shares in a time by agent, template or `deleted`, and how much of them is sent and how much waits. */
export async function earningsOf(db: Db, userId: string, { from, to }: { from: Date; to: Date }) {
  const mine = sql`t.creator_id = ${userId}::uuid AND t.created_at BETWEEN ${from.toISOString()}::timestamptz
    AND ${to.toISOString()}::timestamptz`;
  const [byAgent, shares] = await db.batch([
    db.execute<{ item: string; sales: number; revenue: number }>(sql`
      SELECT coalesce(t.agent_id, t.base_id)::text AS item, sum(t.creator_cents)::int AS revenue,
        (count(*) FILTER (WHERE t.reverses_id IS NULL))::int AS sales
      FROM transactions t WHERE ${mine} GROUP BY 1
    `),
    db.execute<{ pending: number; paid: number }>(sql`
      SELECT coalesce(sum(o.amount_cents - o.reversed_cents) FILTER (WHERE o.status = 'pending'), 0)::int AS pending,
        coalesce(sum(o.amount_cents - o.reversed_cents) FILTER (WHERE o.status = 'paid'), 0)::int AS paid
      FROM transactions t JOIN payouts o ON o.transaction_id = t.id WHERE ${mine}
    `),
  ]);
  return {
    byAgent: byAgent.rows.map(({ item, ...numbers }) => ({ item: item ?? "deleted", ...numbers })),
    shares: shares.rows[0] ?? { pending: 0, paid: 0 },
  };
}
