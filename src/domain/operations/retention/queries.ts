import { sql } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";

/** Rows of one statement: none holds its locks for long. Written out, or no plan that is kept would expect so few. */
const BATCH = 5_000;

/** Statements of one run; the next run takes the rest. */
const MAX_BATCHES = 200;

/** Delete the rows of a table whose moment in this column is longer ago than so many days. */
export async function deleteOlder(
  db: Db,
  table: string,
  column: "created_at" | "completed_at" | "expires_at",
  days: number,
): Promise<void> {
  const rows = sql.identifier(table);
  const moment = sql.identifier(column);
  for (let batch = 1; batch <= MAX_BATCHES; batch += 1) {
    // By their place in the table: joined by id, the database would read the whole table for a batch of this size. A row that is
    // changed meanwhile, as a session that goes on, is in another place then, and stays.
    const { rowCount } = await db.execute(sql`
      DELETE FROM ${rows} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${rows}
        WHERE ${moment} < now() - make_interval(days => ${days}::int) ORDER BY ${moment} LIMIT ${sql.raw(String(BATCH))}
      ))
    `);
    if (rowCount < BATCH) return;
  }
}
