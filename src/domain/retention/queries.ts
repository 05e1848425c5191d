import { sql } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";

/** Rows of one statement: none holds its locks for long. */
const BATCH = 5_000;

/** Statements of one run; the next run takes the rest. */
const MAX_BATCHES = 200;

/** Delete the rows of a table whose moment in this column is longer ago than so many days. */
async function deleteOlder(
  db: Db,
  table: "audit_log" | "admin_actions" | "pairing_tokens" | "refresh_records",
  column: "created_at" | "expires_at",
  days: number,
): Promise<void> {
  const rows = sql.identifier(table);
  for (let batch = 1; batch <= MAX_BATCHES; batch += 1) {
    const { rowCount } = await db.execute(sql`
      DELETE FROM ${rows} WHERE id IN (
        SELECT id FROM ${rows}
        WHERE ${sql.identifier(column)} < now() - make_interval(days => ${days}::int) LIMIT ${BATCH}::int
      )
    `);
    if (rowCount < BATCH) return;
  }
}

export function deleteOldAuditEntries(db: Db, days: number): Promise<void> {
  return deleteOlder(db, "audit_log", "created_at", days);
}

export function deleteOldAdminActions(db: Db, days: number): Promise<void> {
  return deleteOlder(db, "admin_actions", "created_at", days);
}

/** Links to pair a desktop app that have been over for a day. */
export function deleteOldPairings(db: Db): Promise<void> {
  return deleteOlder(db, "pairing_tokens", "expires_at", 1);
}

/** Refresh tokens, of sessions that go on too, that expired a month ago. */
export function deleteOldRefreshRecords(db: Db): Promise<void> {
  return deleteOlder(db, "refresh_records", "expires_at", 30);
}
