import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfiguration } from "#local/configuration.ts";
import { startStack, type Stack } from "#local/stack.ts";
import { createDatabase } from "./server-database.ts";

export type StackOptions = Partial<Parameters<typeof startStack>[1]>;

/** Rate limits are off, and hashes cheap, unless a test is about them. */
const OTHERWISE = {
  PASSWORD_HASH_COST: "4",
  TWO_FA_HASH_KIB: "8",
  USER_RATE_PER_MINUTE: "0",
  CHAT_RATE_PER_MINUTE: "0",
  KEY_RATE_BURST: "0",
  AUTH_ATTEMPTS_PER_ACCOUNT: "0",
  AUTH_ATTEMPTS_PER_ADDRESS: "0",
  MAIL_SENDS_PER_ACCOUNT: "0",
};

/** What services begin with a copy of. */
export interface Templates {
  /** A data folder with a migrated embedded database and a built Worker. */
  template: string;
  /** The migrated database of the PostgreSQL server; empty where there is no server. */
  templateDatabase: string;
}

/**
 * The whole service on a free port, with copies of the templates, which `close` removes. Its database is on the PostgreSQL
 * server where there is one: the embedded one takes several times as much processor time. Services that are processes of
 * their own (`process.ts`) have the embedded one.
 */
export async function startOnCopy(
  { template, templateDatabase }: Templates,
  variables: Readonly<Record<string, string>> = {},
  options: StackOptions = {},
): Promise<{ stack: Stack; close(): Promise<void> }> {
  await using started = new AsyncDisposableStack();
  const dataDir = mkdtempSync(join(tmpdir(), "workspace-journey-"));
  started.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const server = process.env["TEST_DATABASE_URL"];
  const database =
    server && !variables["DATABASE_URL"] ? await createDatabase(server, templateDatabase) : undefined;
  if (database) started.defer(() => database.drop());
  const embedded = join(template, "postgres");
  cpSync(template, dataDir, { recursive: true, filter: (from) => !database || from !== embedded });
  const configuration = readConfiguration({
    PORT: "0",
    DATA_DIR: dataDir,
    ...(database && { DATABASE_URL: database.databaseUrl }),
    ...OTHERWISE,
    ...variables,
  });
  const stack = await startStack(configuration, { log: () => {}, ...options });
  started.defer(() => stack.close());
  const owned = started.move();
  return { stack, close: () => owned.disposeAsync() };
}
