import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stop as stopEsbuild } from "esbuild";
import { Client, Pool } from "pg";
import type { TestProject } from "vitest/node";
import { readConfiguration } from "#local/configuration.ts";
import { migrate } from "#local/migrate.ts";
import { startStack } from "#local/stack.ts";
import { buildCommandLine } from "../../cli/build.ts";
import { createDatabase, type ServerDatabase } from "./server-database.ts";
import { startServiceKeeper } from "./service-keeper.ts";
import type { SharedStack } from "./shared-service.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A data folder with a migrated database and a built Worker, for services to begin with a copy of. */
    template: string;
    /** The migrated database of the PostgreSQL server that tests begin with a copy of; empty where there is no server. */
    templateDatabase: string;
    /** The service of `sharedService`. */
    sharedStack: SharedStack;
    /** Where `otherSharedService` asks. */
    serviceKeeperUrl: string;
    /** The command line's program, as it is published. */
    commandLine: string;
    /** Where all that is random begins: a whole number. */
    fuzzSeed: number;
  }
}

const SEEDS = 2 ** 31;

/** PostgreSQL's standard port, as a developer's machine has it. */
const STANDARD_SERVER = "postgres://postgres@127.0.0.1:5432/postgres";

/**
 * Makes the database and the bundle once for the whole run, by starting and stopping the service, starts the service that
 * test files share, and looks for a real PostgreSQL: only there do requests really run at the same time.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.env["TEST_DATABASE_URL"] ??= (await answers(STANDARD_SERVER)) ? STANDARD_SERVER : "";
  process.stderr.write(
    process.env["TEST_DATABASE_URL"]
      ? "PostgreSQL is there: domain tests run on it.\n"
      : "No PostgreSQL on its standard port: domain tests run on the embedded one; those of an outage are skipped.\n",
  );
  project.provide("fuzzSeed", takeFuzzSeed());
  await using started = new AsyncDisposableStack();
  const server = process.env["TEST_DATABASE_URL"];
  const database = server ? await createDatabase(server) : undefined;
  if (database) {
    started.defer(() => database.drop());
    await fill(database);
  }
  project.provide("templateDatabase", database?.name ?? "");

  const template = mkdtempSync(join(tmpdir(), "workspace-template-"));
  started.defer(() => rmSync(template, { recursive: true, force: true }));
  const programs = mkdtempSync(join(tmpdir(), "workspace-cli-"));
  started.defer(() => rmSync(programs, { recursive: true, force: true }));
  const commandLine = join(programs, "workspace.cjs");
  const [stack] = await Promise.all([
    startStack(readConfiguration({ PORT: "0", DATA_DIR: template }), { log: () => {} }),
    buildCommandLine(commandLine),
  ]);
  await stopEsbuild();
  project.provide("commandLine", commandLine);
  await stack.close();
  // It is not read, and it is a quarter of the data that each service would copy.
  rmSync(join(template, "build/bundle/worker.js.map"), { force: true });
  project.provide("template", template);

  const keeper = await startServiceKeeper({ template, templateDatabase: database?.name ?? "" });
  started.defer(() => keeper.close());
  project.provide("serviceKeeperUrl", keeper.url);
  project.provide("sharedStack", await keeper.service("plain"));

  const owned = started.move();
  return () => owned.disposeAsync();
}

/** Another in each run, unless one is given to repeat a run. It is left in the environment, where reports find it. */
function takeFuzzSeed(): number {
  const seed = Number((process.env["FUZZ_SEED"] ||= String(randomInt(SEEDS))));
  if (!Number.isInteger(seed)) throw new Error("FUZZ_SEED must be a whole number");
  return seed;
}

async function fill({ databaseUrl }: ServerDatabase): Promise<void> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  await migrate(pool);
  await pool.end();
}

async function answers(server: string): Promise<boolean> {
  const client = new Client({ connectionString: server, connectionTimeoutMillis: 30_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
