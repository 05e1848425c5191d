import { neonConfig } from "@neondatabase/serverless";
import { Pool, type PoolClient } from "pg";
import { startNeon } from "#local/neon/index.ts";
import { SqlRequest, type Statement } from "#local/neon/run-sql.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { createDb, type Db } from "#src/platform/db/client.ts";
import { newTrips } from "#src/platform/trips.ts";
import { Plans, type Plan } from "./plans.ts";
import type { Request } from "./requests/request.ts";

/** A statement of a request, and how the database runs it. */
export interface Explained {
  text: string;
  /** With the values it came with, run and taken back. */
  plan: Plan;
  /** As a connection may keep it, whatever the values. */
  keptPlan: Plan;
}

/** A database as the service reaches it, of which the statements can be looked at. */
export interface ExplainedDatabase {
  db: Db;
  /** What a request asks of the database, each statement with its plans; and then it is asked. */
  explain(request: Pick<Request, "run">, n: number): Promise<Explained[]>;
  /** Tables of more than so many rows. */
  tablesAbove(rows: number): Promise<Set<string>>;
}

/** Open migrated databases of one server, by name. One is asked at a time: what is asked of one is not told from the others. */
export async function openExplained(server: string): Promise<{
  database(name: string): ExplainedDatabase;
  close(): Promise<void>;
}> {
  const bridge = await startNeon({ dataDir: "", databaseUrl: server });
  const pools: Pool[] = [];
  return {
    database(name) {
      const pool = new Pool({ connectionString: named(server, name), max: 1 });
      pools.push(pool);
      const databaseUrl = named(bridge.databaseUrl, name);
      const db = createDb({ databaseUrl, httpUrl: bridge.httpUrl, trips: newTrips() });
      return {
        db,
        explain: (request, n) => explainRequest(pool, db, request, n),
        async tablesAbove(rows) {
          const found = await pool.query<{ relname: string }>(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > $1",
            [rows],
          );
          return new Set(found.rows.map(({ relname }) => relname));
        },
      };
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.end()));
      await bridge.close();
    },
  };
}

function named(databaseUrl: string, name: string): string {
  const address = new URL(databaseUrl);
  address.pathname = `/${name}`;
  return address.href;
}

/** Statements are looked at as they leave for the database, when all that they need is there. */
async function explainRequest(
  pool: Pool,
  db: Db,
  request: Pick<Request, "run">,
  n: number,
): Promise<Explained[]> {
  const explained: Explained[] = [];
  const send: unknown = neonConfig.fetchFunction;
  neonConfig.fetchFunction = async (address: string, init: RequestInit & { body: string }) => {
    explained.push(...(await explainAll(pool, statementsOf(init.body))));
    return fetch(address, init);
  };
  try {
    await request.run(db, n);
  } finally {
    neonConfig.fetchFunction = send;
  }
  return explained;
}

function statementsOf(body: string): Statement[] {
  const asked = parseJson(body, SqlRequest);
  return "queries" in asked ? asked.queries : [asked];
}

/** Statements of one transaction, each as the one before leaves things; it is all taken back. */
async function explainAll(pool: Pool, statements: readonly Statement[]): Promise<Explained[]> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const explained: Explained[] = [];
    for (const statement of statements) explained.push(await explainOne(client, statement));
    return explained;
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

async function explainOne(client: PoolClient, { query, params }: Statement): Promise<Explained> {
  await client.query(`PREPARE explained AS ${query}`);
  await client.query("SET LOCAL plan_cache_mode = force_generic_plan");
  const values = params.length > 0 ? `(${params.map(() => "NULL").join(", ")})` : "";
  const kept = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE explained${values}`);
  await client.query("DEALLOCATE explained; SET LOCAL plan_cache_mode = auto");
  const run = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${query}`, params);
  return { text: query, plan: planOf(run.rows), keptPlan: planOf(kept.rows) };
}

function planOf(rows: unknown): Plan {
  return Plans.parse(rows)[0]["QUERY PLAN"][0].Plan;
}
