import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool } from "pg";
import { afterAll, inject } from "vitest";
import { startNeon } from "#stand-ins/neon/index.ts";
import { createDb, type Db } from "#src/platform/db/client.ts";
import { newTrips, type Trips } from "#src/platform/trips.ts";
import { DEFAULT_CEILINGS } from "./ceilings.ts";
import { createDatabase } from "./server-database.ts";
import type { SharedService } from "./shared-service.ts";

/**
 * A migrated database of one's own, reached as the service reaches it. Embedded, or on the server of TEST_DATABASE_URL:
 * only there do requests really run at the same time. With the ceilings that its writers check, and the count of its calls.
 */
export async function openDatabase(): Promise<{
  db: Db;
  config: typeof DEFAULT_CEILINGS;
  trips: Trips;
  close(): Promise<void>;
}> {
  const dataDir = mkdtempSync(join(tmpdir(), "workspace-test-"));
  const server = process.env["TEST_DATABASE_URL"];
  const own = server ? await createDatabase(server, inject("templateDatabase")) : undefined;
  if (!own) cpSync(join(inject("template"), "postgres"), join(dataDir, "postgres"), { recursive: true });
  const bridge = await startNeon({ dataDir, databaseUrl: own?.databaseUrl });
  if (own) await connectAll(bridge.pool);
  const trips = newTrips();
  return {
    db: createDb({ databaseUrl: bridge.databaseUrl, httpUrl: bridge.httpUrl, trips }),
    trips,
    config: DEFAULT_CEILINGS,
    async close() {
      await bridge.close();
      await own?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A database for all tests of a file, which closes it at its end. */
export async function fileDatabase() {
  const database = await openDatabase();
  afterAll(() => database.close());
  return database;
}

/** The database of a running service, for rows that a test looks at or ages. */
export function databaseOf({ stack }: Pick<SharedService, "stack">): Db {
  const { DATABASE_URL: databaseUrl = "", NEON_HTTP_URL: httpUrl } = stack.variables;
  return createDb({ databaseUrl, httpUrl, trips: newTrips() });
}

/** Open as many connections as the pool may have: requests that wait for one are not at the same time. */
async function connectAll(pool: Pool): Promise<void> {
  await Promise.all(Array.from({ length: pool.options.max }, () => pool.query("SELECT pg_sleep(0.1)")));
}
