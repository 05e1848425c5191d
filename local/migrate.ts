import { existsSync } from "node:fs";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as applyMigrations } from "drizzle-orm/node-postgres/migrator";
import { Pool } from "pg";

const FOLDER = "migrations";
/** Number of the advisory lock; any number that no other program on the server uses. */
const LOCK = 7_235_419_022_113;

/** Applies the missing files of migrations/, in one transaction, one process at a time. */
export async function migrate(pool: Pool): Promise<void> {
  if (!existsSync(`${FOLDER}/meta/_journal.json`)) return;
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query("SELECT pg_advisory_lock($1)", [LOCK]);
    await applyMigrations(drizzle({ client }), { migrationsFolder: FOLDER });
    await client.query("SELECT pg_advisory_unlock($1)", [LOCK]);
    broken = false;
  } finally {
    // A closed connection releases its lock.
    client.release(broken);
  }
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
