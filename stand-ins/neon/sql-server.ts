import type http from "node:http";
import { text } from "node:stream/consumers";
import { DatabaseError } from "pg";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { distances } from "#local/distances.ts";
import { serve } from "#local/serve.ts";
import type { Databases } from "./databases.ts";
import { runBatch, runSingle, SqlRequest, type SqlOptions } from "./run-sql.ts";

/** Header values of @neondatabase/serverless. */
const ISOLATION: Readonly<Record<string, string>> = {
  ReadUncommitted: "ISOLATION LEVEL READ UNCOMMITTED",
  ReadCommitted: "ISOLATION LEVEL READ COMMITTED",
  RepeatableRead: "ISOLATION LEVEL REPEATABLE READ",
  Serializable: "ISOLATION LEVEL SERIALIZABLE",
};

/** Fields of a PostgreSQL error that Neon passes on. Source: @neondatabase/serverless 1.2, NeonDbError. */
const ERROR_FIELDS = [
  "severity",
  "code",
  "detail",
  "hint",
  "position",
  "internalPosition",
  "internalQuery",
  "where",
  "schema",
  "table",
  "column",
  "dataType",
  "constraint",
  "file",
  "line",
  "routine",
] as const;

/**
 * Serves Neon's SQL over HTTP: `POST /sql` with `{query, params}`, or `{queries}` for a transaction. The connection
 * string in the header must contain `password` and names the database. A PostgreSQL error is a 400 with its fields.
 */
export function serveSql(databases: Databases, password: string) {
  const poolFor = authorisedPools(databases, password);
  return serve(
    async (request, response) => {
      const [status, body] = await answer(request, poolFor);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    },
    { distanceMs: distances.database },
  );
}

type Answer = readonly [status: number, body: object];

async function answer(
  request: http.IncomingMessage,
  poolFor: ReturnType<typeof authorisedPools>,
): Promise<Answer> {
  const body = await text(request);
  if (request.url !== "/sql" || request.method !== "POST")
    return [404, { message: "Only POST /sql is served" }];
  const pool = poolFor(request.headers["neon-connection-string"]);
  if (!pool) return [401, { message: "The connection string does not belong to this bridge" }];
  const parsed = safeParseJson(body, SqlRequest);
  if (!parsed) return [400, { message: "The body is neither {query, params} nor {queries}" }];
  const options = readOptions(request.headers);
  try {
    if (!("queries" in parsed.value)) return [200, await runSingle(pool, parsed.value, options)];
    return [200, { results: await runBatch(pool, parsed.value.queries, options) }];
  } catch (error) {
    return failure(error);
  }
}

/** Returns the pool that a connection string names, or undefined for a wrong password. Each string is parsed once. */
function authorisedPools(databases: Databases, password: string) {
  const known = new Map<string, string>();
  return (header: string | string[] | undefined) => {
    if (typeof header !== "string") return undefined;
    let name = known.get(header);
    if (name === undefined) {
      const address = URL.canParse(header) ? new URL(header) : undefined;
      if (address?.password !== password) return undefined;
      name = address.pathname.slice(1) || databases.defaultName;
      known.set(header, name);
    }
    return databases.pool(name);
  };
}

function readOptions(headers: http.IncomingHttpHeaders): SqlOptions {
  const isolation = ISOLATION[String(headers["neon-batch-isolation-level"])] ?? "";
  const readOnly = headers["neon-batch-read-only"] === "true" ? " READ ONLY" : "";
  const deferrable = headers["neon-batch-deferrable"] === "true" ? " DEFERRABLE" : "";
  return {
    rawText: headers["neon-raw-text-output"] === "true",
    arrayMode: headers["neon-array-mode"] === "true",
    transaction: `${isolation}${readOnly}${deferrable}`,
  };
}

function failure(error: unknown): Answer {
  if (error instanceof DatabaseError) {
    const fields = ERROR_FIELDS.map((name) => [name, error[name]] as const);
    return [400, { message: error.message, ...Object.fromEntries(fields) }];
  }
  // Not a refusal: the server could not be reached.
  return [503, { message: error instanceof Error ? error.message : "The database did not answer" }];
}
