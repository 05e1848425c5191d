import { existsSync } from "node:fs";
import { drizzle } from "drizzle-orm/node-postgres";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { migrate as applyMigrations } from "drizzle-orm/node-postgres/migrator";
import { Pool, type PoolClient } from "pg";

const FOLDER = "migrations";
/** Number of the advisory lock; any number that no other program on the server uses. */
const LOCK = 7_235_419_022_113;

/** Applies the missing files of a folder of migrations, in one transaction, one process at a time. */
export async function migrate(pool: Pool, migrationsFolder = FOLDER): Promise<void> {
  if (!existsSync(`${migrationsFolder}/meta/_journal.json`)) return;
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query("SELECT pg_advisory_lock($1)", [LOCK]);
    await refuseOlder(client, migrationsFolder);
    await applyMigrations(drizzle({ client }), { migrationsFolder });
    await client.query("SELECT pg_advisory_unlock($1)", [LOCK]);
    broken = false;
  } finally {
    // A closed connection releases its lock.
    client.release(broken);
  }
}

/**
 * The baseline has the date of the last of the migrations it replaced, and Drizzle applies what is newer than the newest date in
 * the database: a database that had them all is at the baseline. In one that lacks some, the baseline would make tables
 * that exist.
 */
async function refuseOlder(client: PoolClient, migrationsFolder: string): Promise<void> {
  const [baseline] = readMigrationFiles({ migrationsFolder });
  const record = "drizzle.__drizzle_migrations";
  const existing = await client.query<{ oid: string | null }>("SELECT to_regclass($1) AS oid", [record]);
  if (!baseline || existing.rows[0]?.oid == null) return;
  const applied = await client.query<{ older: boolean | null }>(
    `SELECT max(created_at) < $1 AS older FROM ${record}`,
    [baseline.folderMillis],
  );
  if (!applied.rows[0]?.older) return;
  throw new Error(
    "its tables are of a version before migrations/0000_baseline.sql; migrate it first with the last commit that has migrations/0029_project_life.sql",
  );
}

if (import.meta.main) {
  const databaseUrl = process.env["DATABASE_URL"];
  if (!databaseUrl) {
    console.error("DATABASE_URL: is required, the postgres:// address of the database to migrate");
    process.exit(1);
  }
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  try {
    await migrate(pool);
    console.error("The database is up to date.");
  } catch (error) {
    console.error(
      `The database could not be migrated: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exitCode = 1;
  } finally {
    await pool.end();
  }
}
