import type { Pool, PoolClient } from "pg";
import { rowsOfDeployments } from "./deployments.ts";
import { rowsOfPayments } from "./payments.ts";
import { FUNCTIONS, rowsOfOthers, TURNS, type Size } from "./rows.ts";
import { rowsOfPeople, type Person } from "./people.ts";

/**
 * Fills a migrated database with other people's rows and with those of the measured people, and updates the planner's
 * statistics. Drops the indexes and creates them again afterwards, which is several times as fast. The server must
 * allow triggers to be disabled.
 */
export async function fill(pool: Pool, size: Size, people: readonly Person[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(FUNCTIONS);
    await client.query("SET session_replication_role = replica; SET synchronous_commit = off");
    await withoutIndexes(client, async () => {
      const others = [...rowsOfOthers(size), ...rowsOfPayments(size.users)];
      for (const statement of [...others, ...rowsOfPeople(people), ...rowsOfDeployments(size, people), TURNS])
        await client.query(statement);
    });
    await client.query("RESET session_replication_role; RESET synchronous_commit");
    // Sets the visibility map, without which PostgreSQL makes no index-only scans. In production, autovacuum does this.
    await client.query("VACUUM ANALYZE");
  } finally {
    client.release();
  }
}

async function withoutIndexes(client: PoolClient, act: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
    WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
      AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)`);
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  await act();
  for (const { definition } of rows) await client.query(definition);
}
