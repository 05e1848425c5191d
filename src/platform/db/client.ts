import { neon, neonConfig, type NeonQueryFunction } from "@neondatabase/serverless";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import { CASING } from "#src/db/casing.ts";
import type { Trips } from "#src/platform/trips.ts";

export type Db = NeonHttpDatabase & { $client: NeonQueryFunction<false, false> };

/**
 * A request that has no answer by then fails. Without a limit, an executor that waits for the database would go on showing
 * life, and nobody would ever take its task over.
 */
const TIMEOUT_MS = 15_000;

/**
 * The database over Neon's SQL-over-HTTP: every query or batch is one request. Locally `httpUrl` is the bridge's
 * address; deployed it is derived from the connection string by the driver.
 */
export function createDb(options: { databaseUrl: string; httpUrl?: string | undefined; trips: Trips }): Db {
  const { databaseUrl, httpUrl, trips } = options;
  if (httpUrl) neonConfig.fetchEndpoint = httpUrl;
  neonConfig.fetchFunction = wholeResponse;
  return drizzle({ client: counted(neon(databaseUrl), trips), casing: CASING });
}

/**
 * The response of a request once all of it is there. The driver gives its own name, by which an outage is known, to what
 * `fetch` throws; the error of a response that stops halfway it would pass on as it is.
 */
async function wholeResponse(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return new Response(await response.arrayBuffer(), response);
}

type Client = NeonQueryFunction<false, false>;

/** The driver's client, which is a function with two functions on it, each call of which is one round trip. */
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
      // The queries of a batch were counted when they were built, and then travel together.
      if (name === "transaction") return count(Object(value), ([queries]) => 1 - Object(queries).length);
      return value;
    },
  });
}
