import { neon, neonConfig, type NeonQueryFunction } from "@neondatabase/serverless";
import { timeLimit } from "#src/lib/time-limit.ts";
import { NeonHttpDatabase, NeonHttpDriver } from "drizzle-orm/neon-http";
import { PgDialect } from "drizzle-orm/pg-core";
import { CASING } from "#src/db/casing.ts";
import type { Trips } from "#src/platform/trips.ts";

export type Db = NeonHttpDatabase & { $client: NeonQueryFunction<false, false> };

/**
 * A request fails after this time. Without a limit, an executor that waits for the database would keep its lease alive,
 * and its task would never be taken over.
 */
const TIMEOUT_MS = 15_000;

/** Keeps the names of columns, which drizzle otherwise derives anew for each request: a twentieth of a reply's processor time. */
const dialect = new PgDialect({ casing: CASING });

/**
 * The database over Neon's SQL-over-HTTP: every query or batch is one request. Locally `httpUrl` is the bridge's
 * address; in deployments the driver derives it from the connection string.
 */
export function createDb(options: { databaseUrl: string; httpUrl?: string | undefined; trips: Trips }): Db {
  const { databaseUrl, httpUrl, trips } = options;
  if (httpUrl) neonConfig.fetchEndpoint = httpUrl;
  neonConfig.fetchFunction = wholeResponse;
  const $client = counted(neon(databaseUrl), trips);
  const session = new NeonHttpDriver($client, dialect).createSession(undefined);
  return Object.assign(new NeonHttpDatabase(dialect, session, undefined), { $client });
}

/** What the driver uses of a response. */
interface Answer extends Pick<Response, "ok" | "status" | "text"> {
  json(): Promise<unknown>;
}

/**
 * Reads a response to its end. The driver wraps what `fetch` throws in its own error, by which an outage is recognised,
 * but does not wrap the error of a response that breaks off; so read it here. Another `Response` around what was read would
 * take as long again.
 */
async function wholeResponse(url: string, init: RequestInit): Promise<Answer> {
  using limit = timeLimit(TIMEOUT_MS);
  const response = await fetch(url, { ...init, signal: limit.signal });
  const { ok, status } = response;
  // Results and the database's errors are JSON; what else answers says it in words.
  const whole: unknown = ok || status === 400 ? await response.json() : await response.text();
  return { ok, status, json: async () => whole, text: async () => String(whole) };
}

type Client = NeonQueryFunction<false, false>;

/** The driver's client, a function with two methods, counting each call as one round trip. */
function counted(client: Client, trips: Trips): Client {
  const count = (call: (...args: unknown[]) => unknown, tripsOf: (args: unknown[]) => number) =>
    new Proxy(call, {
      apply(target, self, args) {
        trips.db += tripsOf(args);
        return Reflect.apply(target, self, args);
      },
    });
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === "query") return count(Object(value), () => 1);
      // Each query of a batch was counted when it was built, but they travel together.
      if (name === "transaction") return count(Object(value), ([queries]) => 1 - Object(queries).length);
      return value;
    },
  });
}
