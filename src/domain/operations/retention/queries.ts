import { sql } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";

/**
 * Most rows of one statement, so that none holds its locks for long. Written as a literal, because the planner would
 * not expect so few rows with a parameter.
 */
const BATCH = 5_000;

/** Most statements of one run; the next run takes the rest. */
const MAX_BATCHES = 200;

/** Deletes the rows of a table whose time in this column is more than `days` ago. */
export async function deleteOlder(
  db: Db,
  table: string,
  column: "created_at" | "completed_at" | "expires_at" | "failed_at",
  days: number,
): Promise<void> {
  const rows = sql.identifier(table);
  const moment = sql.identifier(column);
  await inBatches(() =>
    // By `ctid`: with a join by id, the database would read the whole table for a batch of this size. A row that is
    // updated concurrently, such as that of a live session, gets another `ctid` and stays.
    db.execute(sql`
      DELETE FROM ${rows} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${rows}
        WHERE ${moment} < now() - make_interval(days => ${days}::int) ORDER BY ${moment} LIMIT ${sql.raw(String(BATCH))}
      ))
    `),
  );
}

/**
 * Deletes connected apps a day after their end, with their keys and tokens. One whose task is unfinished stays, because the task acts
 * as its key.
 */
export async function deleteEndedApps(db: Db): Promise<void> {
  await inBatches(() =>
    db.execute(sql`
      DELETE FROM external_api_keys WHERE id = ANY (ARRAY(
        SELECT k.id FROM oauth_grants AS g JOIN external_api_keys AS k ON k.id = g.key_id
        WHERE (k.revoked_at < now() - interval '1 day' OR g.expires_at < now() - interval '1 day')
          AND NOT EXISTS (SELECT FROM tasks AS t WHERE t.api_key_id = k.id AND t.status IN ('queued', 'running'))
        LIMIT ${sql.raw(String(BATCH))}
      ))
    `),
  );
}

async function inBatches(deleteSome: () => PromiseLike<{ rowCount: number }>): Promise<void> {
  for (let batch = 1; batch <= MAX_BATCHES; batch += 1) {
    if ((await deleteSome()).rowCount < BATCH) return;
  }
}
