import { randomBytes } from "node:crypto";
import { Client, Pool } from "pg";
import { migrate } from "#local/migrate.ts";
import { fill } from "./fill.ts";
import type { Person } from "./people.ts";
import type { Size } from "./rows.ts";

/** PostgreSQL on its standard port, as on a developer's machine. */
const STANDARD_SERVER = "postgres://postgres@127.0.0.1:5432/postgres";

/** The server of TEST_DATABASE_URL, otherwise one on the standard port; `undefined` if none responds. */
export async function findServer(): Promise<string | undefined> {
  const server = process.env["TEST_DATABASE_URL"] || STANDARD_SERVER;
  try {
    await run(server, "SELECT 1");
    return server;
  } catch {
    return undefined;
  }
}

/** Creates, migrates and fills a database on the server; `drop` deletes it. */
export function makeFilled(server: string, size: Size, people: readonly Person[]) {
  return makeDatabase(server, (pool) => fill(pool, size, people));
}

/** Creates and migrates a database on the server, and makes its rows. */
export async function makeDatabase(server: string, makeRows: (pool: Pool) => Promise<void>) {
  const name = `bench_${randomBytes(6).toString("hex")}`;
  await run(server, `CREATE DATABASE ${name}`);
  const address = new URL(server);
  address.pathname = `/${name}`;
  const drop = () => run(server, `DROP DATABASE ${name} WITH (FORCE)`);
  const pool = new Pool({ connectionString: address.href, max: 1 });
  try {
    await migrate(pool);
    await makeRows(pool);
    return { name, databaseUrl: address.href, drop };
  } catch (error) {
    await pool.end();
    await drop();
    throw error;
  } finally {
    if (!pool.ended) await pool.end();
  }
}

async function run(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
