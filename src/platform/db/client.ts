import { neon, neonConfig } from "@neondatabase/serverless";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import type { Trips } from "#src/platform/trips.ts";

export type Db = NeonHttpDatabase;

/**
 * The database over Neon's SQL-over-HTTP: every query or batch is one request. Locally `httpUrl` is the bridge's
 * address; deployed it is derived from the connection string by the driver.
 */
export function createDb(options: { databaseUrl: string; httpUrl?: string | undefined; trips: Trips }): Db {
  const { databaseUrl, httpUrl, trips } = options;
  if (httpUrl) neonConfig.fetchEndpoint = httpUrl;
  const client = neon(databaseUrl);
  const counted: typeof client = Object.assign(
    ((...args: Parameters<typeof client>) => {
      trips.db += 1;
      return client(...args);
    }) as typeof client,
    client,
    {
      query: ((...args: Parameters<typeof client.query>) => {
        trips.db += 1;
        return client.query(...args);
      }) as typeof client.query,
      transaction: ((...args: Parameters<typeof client.transaction>) => {
        trips.db += 1;
        return client.transaction(...args);
      }) as typeof client.transaction,
    },
  );
  return drizzle({ client: counted, casing: "snake_case" });
}
