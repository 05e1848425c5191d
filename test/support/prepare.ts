import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { TestProject } from "vitest/node";
import { readConfiguration } from "#local/configuration.ts";
import { startStack } from "#local/stack.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A data folder with a migrated database and a built Worker, for services to begin with a copy of. */
    template: string;
  }
}

/** PostgreSQL's standard port, as a developer's machine has it. */
const STANDARD_SERVER = "postgres://postgres@127.0.0.1:5432/postgres";

/**
 * Makes the database and the bundle once for the whole run, by starting and stopping the service, and looks for a real
 * PostgreSQL: only there do requests really run at the same time.
 */
export async function setup(project: TestProject): Promise<() => void> {
  process.env["TEST_DATABASE_URL"] ??= (await answers(STANDARD_SERVER)) ? STANDARD_SERVER : "";
  process.stderr.write(
    process.env["TEST_DATABASE_URL"]
      ? "PostgreSQL is there: domain tests run on it.\n"
      : "No PostgreSQL on its standard port: domain tests run on the embedded one; those of an outage are skipped.\n",
  );
  const template = mkdtempSync(join(tmpdir(), "workspace-template-"));
  const stack = await startStack(readConfiguration({ PORT: "0", DATA_DIR: template }), { log: () => {} });
  await stack.close();
  project.provide("template", template);
  return () => rmSync(template, { recursive: true, force: true });
}

async function answers(server: string): Promise<boolean> {
  const client = new Client({ connectionString: server, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
