import { and, desc, eq } from "drizzle-orm";
import { checkouts, transactions } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

interface Page {
  limit: number;
  offset: number;
}

/** A team's purchases of credits, newest first. */
export function purchasesOfTeam(db: Db, teamId: string, { limit, offset }: Page) {
  return db
    .select()
    .from(checkouts)
    .where(and(eq(checkouts.teamId, teamId), eq(checkouts.type, "credit_purchase")))
    .orderBy(desc(checkouts.createdAt), desc(checkouts.id))
    .limit(limit)
    .offset(offset);
}

/** A team's payments, and what of them went back, newest first. */
export function transactionsOfTeam(db: Db, teamId: string, { limit, offset }: Page) {
  return db
    .select()
    .from(transactions)
    .where(eq(transactions.teamId, teamId))
    .orderBy(desc(transactions.createdAt), desc(transactions.id))
    .limit(limit)
    .offset(offset);
}
