import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Pool } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrate } from "#local/migrate.ts";
import { startNeon } from "#stand-ins/neon/index.ts";
import { createDatabase } from "#test/support/server-database.ts";

/** The last two of the migrations before the baseline, as Drizzle recorded them. */
const NEXT_TO_LAST = {
  hash: "d3da8080082f65e259879fa8be58c438c1889572d76b15a0aac0e1e68de70afd",
  created_at: "1795713268952",
};
const LAST = {
  hash: "40d8ffabe8a233788825058381bb8972dc7d3d6bf16223631da5d755d3c7072c",
  created_at: "1795721579678",
};

let owned: AsyncDisposableStack;
/** Of an empty database. */
let pool: Pool;
beforeEach(async () => {
  await using started = new AsyncDisposableStack();
  const server = process.env["TEST_DATABASE_URL"];
  const own = server ? await createDatabase(server) : undefined;
  if (own) started.defer(() => own.drop());
  const bridge = await startNeon({ dataDir: newFolder(started), databaseUrl: own?.databaseUrl });
  started.defer(() => bridge.close());
  ({ pool } = bridge);
  owned = started.move();
});
afterEach(() => owned.disposeAsync());

function newFolder(started: AsyncDisposableStack): string {
  const folder = mkdtempSync(path.join(tmpdir(), "migrate-"));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder of the baseline alone, whatever was added since, and what adds another migration to it. */
function newMigrations() {
  const folder = newFolder(owned);
  const journal = path.join(folder, "meta/_journal.json");
  cpSync("migrations", folder, { recursive: true });
  const { entries, ...rest } = JSON.parse(readFileSync(journal, "utf8"));
  const write = (all: unknown[]) => writeFileSync(journal, JSON.stringify({ ...rest, entries: all }));
  write([entries[0]]);
  const add = () => {
    writeFileSync(
      path.join(folder, "0001_added.sql"),
      `ALTER TABLE "users" ADD COLUMN "added" text DEFAULT 'yes';`,
    );
    write([entries[0], { ...entries[0], idx: 1, when: entries[0].when + 1, tag: "0001_added" }]);
  };
  return { folder, add };
}

/** Makes the database one that the migrations before the baseline made, with a person in it. */
async function makeEarlier(folder: string, records: readonly (typeof LAST)[]): Promise<void> {
  await migrate(pool, folder);
  await pool.query("DELETE FROM drizzle.__drizzle_migrations");
  for (const applied of records) await record(applied);
  await pool.query(
    "INSERT INTO users (id, email, username, name, slug) VALUES (gen_random_uuid(), 'ann@example.com', 'ann', 'Ann', 'ann')",
  );
}

const record = ({ hash, created_at }: typeof LAST) =>
  pool.query("INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)", [
    hash,
    created_at,
  ]);

async function rowsOf(query: string): Promise<unknown[]> {
  return (await pool.query(query)).rows;
}
const recorded = () => rowsOf("SELECT hash, created_at FROM drizzle.__drizzle_migrations ORDER BY id");
const people = () =>
  rowsOf("SELECT to_jsonb(users) ->> 'username' AS name, to_jsonb(users) ->> 'added' AS added FROM users");

describe("migrate", () => {
  it("makes the tables and the service's own rows in an empty database, once", async () => {
    const { folder } = newMigrations();
    await migrate(pool, folder);
    await migrate(pool, folder);
    expect(await recorded()).toMatchObject([{ created_at: LAST.created_at }]);
    const own = "SELECT array_agg(slug ORDER BY id) AS slugs FROM";
    expect(await rowsOf(`${own} agents`)).toEqual([
      { slugs: ["system-default", "workspace-agent", "librarian", "service-integrator", "agent-builder"] },
    ]);
    expect(await rowsOf(`${own} bases`)).toEqual([{ slugs: ["static-site", "vite-react"] }]);
  });

  it("leaves a database as it is that had all migrations before the baseline, and applies what comes after", async () => {
    const { folder, add } = newMigrations();
    await makeEarlier(folder, [NEXT_TO_LAST, LAST]);
    await migrate(pool, folder);
    expect(await recorded()).toEqual([NEXT_TO_LAST, LAST]);
    expect(await people()).toEqual([{ name: "ann", added: null }]);
    add();
    await migrate(pool, folder);
    expect(await recorded()).toMatchObject([NEXT_TO_LAST, LAST, { created_at: "1795721579679" }]);
    expect(await people()).toEqual([{ name: "ann", added: "yes" }]);
  });

  it("refuses a database that lacks some of them, changes nothing in it, and takes it once it has them", async () => {
    const { folder, add } = newMigrations();
    await makeEarlier(folder, [NEXT_TO_LAST]);
    add();
    await expect(migrate(pool, folder)).rejects.toThrow(
      "its tables are of a version before migrations/0000_baseline.sql; migrate it first with the last commit that has migrations/0029_project_life.sql",
    );
    expect(await recorded()).toEqual([NEXT_TO_LAST]);
    expect(await people()).toEqual([{ name: "ann", added: null }]);
    await record(LAST);
    await migrate(pool, folder);
    expect(await people()).toEqual([{ name: "ann", added: "yes" }]);
  });
});
