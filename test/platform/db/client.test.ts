import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isOutage } from "#src/db/outage.ts";
import { createDb, type Db } from "#src/platform/db/client.ts";
import { newTrips } from "#src/platform/trips.ts";

describe("a database whose response stops halfway", () => {
  let server: Server;
  let db: Db;

  beforeAll(async () => {
    server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"rows": [', () => response.destroy());
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    if (typeof address !== "object" || !address) throw new Error("The server has no port");
    const httpUrl = `http://127.0.0.1:${address.port}/sql`;
    db = createDb({
      databaseUrl: "postgresql://user:password@host.test/db",
      httpUrl,
      trips: newTrips(),
    });
  });
  afterAll(() => server.close());

  it.each<[string, () => Promise<unknown>]>([
    ["one query", () => db.execute(sql`SELECT 1`)],
    ["a batch", () => db.batch([db.execute(sql`SELECT 1`), db.execute(sql`SELECT 2`)])],
  ])("is an outage: %s", async (_, ask) => {
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(isOutage(error)).toBe(true);
  });
});
