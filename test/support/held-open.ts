import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { expect, vi } from "vitest";
import { usedOauthStates } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { WAIT_HANGS_MS } from "./hangs.ts";

/** Embedded, there is one connection: no statement waits for another's lock, and an open transaction blocks all others. */
export const onlyEmbedded = () => !process.env["TEST_DATABASE_URL"];

/**
 * Run statements and leave their transaction open, with all that they lock, until `release`, which undoes it. For a
 * database of one's own on a real PostgreSQL.
 */
export async function holdOpen(db: Db, first: BatchItem<"pg">): Promise<{ release(): Promise<void> }> {
  // A row that says that it is over; any table would do.
  const flag = crypto.randomUUID();
  let over = false;
  const holding = db
    .batch([
      first,
      // A limit, so that a test that fails does not go on for ever; a busy machine must not reach it.
      db.execute(
        sql.raw(`DO $$ BEGIN FOR turn IN 1..${WAIT_HANGS_MS / 20} LOOP
          EXIT WHEN EXISTS (SELECT 1 FROM used_oauth_states WHERE id = '${flag}');
          PERFORM pg_sleep(0.02);
        END LOOP; END $$`),
      ),
      db.execute(sql`SELECT 1/0`),
    ])
    .then(
      () => undefined,
      (error: unknown) => error,
    )
    .finally(() => (over = true));
  const isHeld = sql`SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE ${`DO %${flag}%`} AND wait_event = 'PgSleep'`;
  await vi.waitUntil(async () => over || (await db.execute(isHeld)).rows.length > 0);
  return {
    async release() {
      await db.insert(usedOauthStates).values({ id: flag, expiresAt: new Date() });
      expect(String(await holding)).toContain("division by zero");
    },
  };
}

/** Wait until so many statements of this database wait for a lock that another transaction holds. */
export async function untilWaiting(db: Db, count: number): Promise<void> {
  await vi.waitUntil(async () => {
    const { rows } = await db.execute<{ waiting: number }>(sql`
        SELECT count(*)::int AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    return (rows[0]?.waiting ?? 0) >= count;
  });
}
