import { randomBytes } from "node:crypto";
import { Client, DatabaseError } from "pg";

export interface ServerDatabase {
  name: string;
  databaseUrl: string;
  drop(): Promise<void>;
}

/**
 * To copy a template's files takes a third of the processor time that it takes to log its pages, where the server waits for no
 * disk. Where it does, it takes a second and more.
 */
const COPIES_FILES =
  "SELECT current_setting('fsync') = 'off' AND current_setting('server_version_num')::int >= 150000 AS copies";

/** Of a statement about a database to which somebody else is connected. */
const OBJECT_IN_USE = "55006";
const ATTEMPTS = 20;

/** A new database on a PostgreSQL server: a copy of `template`, to which no client may be connected meanwhile, or empty. */
export async function createDatabase(server: string, template = "template1"): Promise<ServerDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const address = new URL(server);
  address.pathname = `/${name}`;
  await connected(server, async (client) => {
    const { rows } = await client.query<{ copies: boolean }>(COPIES_FILES);
    const strategy = rows[0]?.copies ? "STRATEGY file_copy" : "";
    await whenFree(() => client.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`));
    // A commit that waits for no disk is as good as any here: the server itself is never killed.
    await client.query(`ALTER DATABASE ${name} SET synchronous_commit TO off`);
    // Statements here run once or twice: to compile them took a fifth of the server's time.
    await client.query(`ALTER DATABASE ${name} SET jit TO off`);
  });
  const drop = (client: Client) => whenFree(() => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
  return { name, databaseUrl: address.href, drop: () => connected(server, drop) };
}

/**
 * The server waits five seconds for those who are just leaving a database, such as a vacuum or who was told to go, and on a busy
 * machine they take longer.
 */
async function whenFree(act: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await act();
      return;
    } catch (error) {
      const isInUse = error instanceof DatabaseError && error.code === OBJECT_IN_USE;
      if (!isInUse || attempt === ATTEMPTS) throw error;
    }
  }
}

async function connected(server: string, act: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  await act(client);
  await client.end();
}
