import { neonConfig } from "@neondatabase/serverless";
import { Pool, type PoolClient } from "pg";
import { startNeon } from "#stand-ins/neon/index.ts";
import { SqlRequest, type Statement } from "#stand-ins/neon/run-sql.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { createDb, type Db } from "#src/platform/db/client.ts";
import { newTrips } from "#src/platform/trips.ts";
import { Plans, type Plan } from "./plans.ts";
import type { Request } from "./requests/request.ts";

/** A statement of a request, with its plans. */
export interface Explained {
  text: string;
  /** The plan for the actual values; the statement is run and rolled back. */
  plan: Plan;
  /** The generic plan, for any values. */
  keptPlan: Plan;
}

/** A database as the service reaches it, whose statements can be explained. */
export interface ExplainedDatabase {
  db: Db;
  /** Runs a request, and returns its statements with their plans. */
  explain(request: Pick<Request, "run">, n: number): Promise<Explained[]>;
  /** Tables with more than `rows` rows. */
  tablesAbove(rows: number): Promise<Set<string>>;
}

/**
 * Opens migrated databases of one server, by name. Use only one at a time, because the recorded statements are not
 * attributed to a database.
 */
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

/** Explains each statement just before it is sent, when the rows that it needs exist. */
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

/**
 * Explains the statements of one transaction in order, each after the effects of the previous ones, and rolls all back.
 */
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
