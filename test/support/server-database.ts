import { randomBytes } from "node:crypto";
import { Client } from "pg";

export interface ServerDatabase {
  name: string;
  databaseUrl: string;
  drop(): Promise<void>;
}

/** A new database on a PostgreSQL server: a copy of `template`, to which no client may be connected meanwhile, or empty. */
export async function createDatabase(server: string, template = "template1"): Promise<ServerDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const run = async (...statements: string[]) => {
    const client = new Client({ connectionString: server });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  await run(
    `CREATE DATABASE ${name} TEMPLATE ${template}`,
    // A commit that waits for no disk is as good as any here: the server itself is never killed.
    `ALTER DATABASE ${name} SET synchronous_commit TO off`,
    // Statements here run once or twice: to compile them took a fifth of the server's time.
    `ALTER DATABASE ${name} SET jit TO off`,
  );
  const address = new URL(server);
  address.pathname = `/${name}`;
  return { name, databaseUrl: address.href, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
}
