import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { openEmbedded, openServer } from "./databases.ts";
import { serveSql } from "./sql-server.ts";

export interface NeonBridge {
  /** Value of NEON_HTTP_URL. */
  httpUrl: string;
  /**
   * Value of DATABASE_URL: names the database and contains this start's password; another database name selects that
   * database.
   */
  databaseUrl: string;
  /** A direct connection to the default database, for migrations. */
  pool: Pool;
  close(): Promise<void>;
}

/**
 * Starts Neon's SQL over HTTP on this machine, over the server of `databaseUrl` or an embedded PostgreSQL in
 * `dataDir`/postgres. Throws when neither can be opened.
 */
export async function startNeon(options: {
  dataDir: string;
  databaseUrl?: string | undefined;
}): Promise<NeonBridge> {
  const databases = options.databaseUrl
    ? await openServer(options.databaseUrl)
    : await openEmbedded(`${options.dataDir}/postgres`);
  const password = randomBytes(24).toString("hex");
  const { url, close } = await serveSql(databases, password);
  return {
    httpUrl: `${url}/sql`,
    databaseUrl: `postgres://local:${password}@127.0.0.1/${databases.defaultName}`,
    pool: databases.pool(databases.defaultName),
    close: async () => {
      await close();
      await databases.close();
    },
  };
}
