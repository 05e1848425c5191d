import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { Pool } from "pg";
import { PgliteStream } from "./pglite-stream.ts";

/** The databases behind the bridge, by name. */
export interface Databases {
  /** The default database. */
  defaultName: string;
  pool(name: string): Pool;
  close(): Promise<void>;
}

/**
 * PostgreSQL's file cache. Its default of 128 MB is resident from the start, used or not, and the operating system
 * caches the same files: with 32 MB this process takes 100 MiB less (210 instead of 312 MiB measured).
 */
const SMALL = ["-c", "shared_buffers=32MB"];

/** A connection sends its statements without waiting for the answers to those before. */
const PIPELINED = { pipeline: true };

/** Opens PostgreSQL inside this process, stored in `dir`. It has one database, which serves every name. */
export async function openEmbedded(dir: string): Promise<Databases> {
  if (!existsSync(dir)) await create(dir);
  keepPrivate(dir);
  const startParams = [...PGlite.defaultStartParams, ...SMALL];
  const pglite = await PGlite.create(dir, { startParams, extensions: { pg_trgm } });
  const pool = quiet(
    new Pool({
      ...PIPELINED,
      max: 1,
      idleTimeoutMillis: 0,
      user: "postgres",
      stream: () => new PgliteStream(pglite),
    }),
  );
  return {
    defaultName: "postgres",
    pool: () => pool,
    close: async () => {
      await pool.end();
      await pglite.close();
    },
  };
}

/** Creates the database so that a start that is killed half-way leaves no partial one. */
async function create(dir: string): Promise<void> {
  const unfinished = `${dir}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const pglite = await PGlite.create(unfinished);
  await pglite.close();
  renameSync(unfinished, dir);
}

/** PGlite unpacks a new database with the modes of its archive, which let everybody read it. */
function keepPrivate(dir: string): void {
  if ((statSync(path.join(dir, "PG_VERSION")).mode & 0o077) === 0) return;
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    chmodSync(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  }
}

/** A server has a hundred connections by default, and others use it too. */
const MAX_CONNECTIONS = 12;
/** Shorter than a minute: what the cron opens each minute does not stay open. */
const IDLE_CONNECTION_MS = 10_000;

/** Connects to a real server. Throws when it cannot be reached or refuses. */
export async function openServer(databaseUrl: string): Promise<Databases> {
  const pools = new Map<string, Pool>();
  const defaultName = new URL(databaseUrl).pathname.slice(1) || "postgres";
  const open = (name: string): Pool => {
    const address = new URL(databaseUrl);
    address.pathname = `/${name}`;
    const pool = quiet(
      new Pool({
        ...PIPELINED,
        connectionString: address.href,
        max: MAX_CONNECTIONS,
        idleTimeoutMillis: IDLE_CONNECTION_MS,
      }),
    );
    pools.set(name, pool);
    return pool;
  };
  const databases = {
    defaultName,
    pool: (name: string) => pools.get(name) ?? open(name),
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },
  };
  try {
    await databases.pool(defaultName).query("SELECT 1");
  } catch (error) {
    await databases.close();
    throw error;
  }
  return databases;
}

/**
 * A broken connection is replaced at the next query, and a query on it fails by itself; without a listener, its error
 * would end the process. The pool listens only on idle connections.
 */
function quiet(pool: Pool): Pool {
  return pool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
}
