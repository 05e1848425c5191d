import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { neon, neonConfig } from "@neondatabase/serverless";
import { eq, inArray } from "drizzle-orm";
import { drizzle } from "drizzle-orm/neon-http";
import { integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startNeon, type NeonBridge } from "#stand-ins/neon/index.ts";

const SERVER = process.env["TEST_DATABASE_URL"] ?? "";
const DATABASE = `bridge_test_${randomBytes(8).toString("hex")}`;

const notes = pgTable("notes", {
  id: integer().primaryKey(),
  text: text().notNull().unique("notes_text_once"),
  meta: jsonb(),
  tags: text().array(),
  writtenAt: timestamp("written_at", { withTimezone: true }),
});

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: SERVER });
  await client.connect();
  await client.query(statement);
  await client.end();
}

describe("the Neon bridge over the embedded PostgreSQL", () => {
  bridgeContract(false);
});
describe.skipIf(SERVER === "")("the Neon bridge over a real PostgreSQL (needs TEST_DATABASE_URL)", () => {
  const address = bridgeContract(true);
  // There is no connection to break to a database inside the process.
  it("goes on after connections broke under a statement and a batch", async () => {
    const client = neon(address());
    const broken = "SELECT pg_terminate_backend(pg_backend_pid())";
    await expect(client.query(broken)).rejects.toThrow("terminat");
    // What the server said may be lost with the connection, on which more was on its way.
    const lost = /terminat|HTTP status 503/u;
    await expect(client.transaction([client.query(broken), client`SELECT 1`])).rejects.toThrow(lost);
    // A connection may be handed out once more in the moment between its last answer and its end.
    await expect.poll(() => client.query("SELECT 1 AS one").catch(() => "broken")).toEqual([{ one: 1 }]);
  });
});

/** The tests of one bridge; its address once they run. */
function bridgeContract(real: boolean): () => string {
  const dataDir = mkdtempSync(path.join(tmpdir(), "neon-"));
  let bridge: NeonBridge;
  let address: string;

  beforeAll(async () => {
    if (real) await onServer(`CREATE DATABASE ${DATABASE}`);
    bridge = await startNeon({ dataDir, databaseUrl: real ? SERVER : undefined });
    const named = new URL(bridge.databaseUrl);
    if (real) named.pathname = `/${DATABASE}`;
    address = named.href;
    neonConfig.fetchEndpoint = () => bridge.httpUrl;
    await neon(address).query(
      `CREATE TABLE notes (id integer PRIMARY KEY, text text NOT NULL CONSTRAINT notes_text_once UNIQUE,
        meta jsonb, tags text[], written_at timestamptz)`,
    );
  });

  afterAll(async () => {
    await bridge.close();
    if (real) await onServer(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
    rmSync(dataDir, { recursive: true, force: true });
  });

  const open = () => drizzle({ client: neon(address) });

  it("keeps values as they are through Drizzle", async () => {
    const db = open();
    const note = {
      id: 1,
      text: "first",
      meta: { deep: [1, null, "ä"] },
      tags: ["a,b", 'c"d'],
      writtenAt: new Date("2026-03-01T10:00:00.123Z"),
    };
    await db.insert(notes).values(note);
    expect(await db.select().from(notes).where(eq(notes.id, 1))).toEqual([note]);
  });

  it("tells null, booleans, bytes and big numbers apart", async () => {
    const [row] = await neon(address).query(
      "SELECT $1::text AS nothing, $2::boolean AS yes, $3::bytea AS bytes, $4::int8 AS big, $5::jsonb AS json_null",
      [null, true, Buffer.from([0, 255]), "9007199254740993", "null"],
    );
    expect(row).toEqual({
      nothing: null,
      yes: true,
      bytes: Buffer.from([0, 255]),
      big: "9007199254740993",
      json_null: null,
    });
  });

  it("reports the code and the constraint of a violation", async () => {
    const client = neon(address);
    await client.query("INSERT INTO notes (id, text) VALUES (10, 'twice')");
    await expect(client.query("INSERT INTO notes (id, text) VALUES (11, 'twice')")).rejects.toMatchObject({
      code: "23505",
      constraint: "notes_text_once",
      table: "notes",
      schema: "public",
      severity: "ERROR",
      detail: "Key (text)=(twice) already exists.",
    });
  });

  it("runs a batch as one transaction", async () => {
    const db = open();
    const [, rows] = await db.batch([
      db.insert(notes).values({ id: 20, text: "in a batch" }),
      db.select({ id: notes.id }).from(notes).where(eq(notes.id, 20)),
    ]);
    expect(rows).toEqual([{ id: 20 }]);
    const failing = db.batch([
      db.insert(notes).values({ id: 21, text: "undone" }),
      db.insert(notes).values({ id: 20, text: "the id is taken" }),
      db.insert(notes).values({ id: 22, text: "refused, because one before it failed" }),
    ]);
    await expect(failing).rejects.toThrow("notes_pkey");
    expect(
      await db
        .select()
        .from(notes)
        .where(inArray(notes.id, [21, 22])),
    ).toEqual([]);
  });

  it("takes the isolation and the mode of a batch from its headers", async () => {
    const client = neon(address);
    const show = [client`SHOW transaction_isolation`, client`SHOW transaction_read_only`];
    const results = await client.transaction(show, { isolationLevel: "Serializable", readOnly: true });
    expect(results).toEqual([[{ transaction_isolation: "serializable" }], [{ transaction_read_only: "on" }]]);
  });

  it("keeps concurrent statements apart", async () => {
    const client = neon(address);
    const numbers = Array.from({ length: 50 }, (_, index) => index);
    const answers = await Promise.all(numbers.map((n) => client.query("SELECT $1::int AS n", [n])));
    expect(answers).toEqual(numbers.map((n) => [{ n }]));
  });

  it("refuses a stranger", async () => {
    const stranger = neon("postgres://local:guess@127.0.0.1/postgres");
    await expect(stranger.query("SELECT 1")).rejects.toThrow("401");
  });

  return () => address;
}
