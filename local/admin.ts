import { existsSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { problemsOf, Variables } from "#src/configuration/index.ts";
import {
  grantAdministrator,
  listAdministrators,
  revokeAdministrator,
  type ChangedAccount,
} from "#src/domain/access/administrators/index.ts";
import { reencrypt } from "#src/domain/operations/secrets-at-rest/index.ts";
import { createDb, type Db } from "#src/platform/db/client.ts";
import { createSecretsAtRest } from "#src/platform/secrets/secrets-at-rest.ts";
import { newTrips } from "#src/platform/trips.ts";
import { startNeon } from "#stand-ins/neon/index.ts";
import { keepFilesPrivate, openDataDir } from "./data-dir.ts";
import { migrate } from "./migrate.ts";
import { StartError } from "./start-error.ts";

const USAGE = "Usage: npm run admin -- grant EMAIL | revoke EMAIL | list | reencrypt";

const EncryptionVariables = Variables.pick({
  SECRET_KEY: true,
  PREVIOUS_SECRET_KEY: true,
  ENCRYPTION_KEY: true,
  DEPLOYMENT_ENCRYPTION_KEY: true,
  CHANNEL_ENCRYPTION_KEY: true,
  PREVIOUS_ENCRYPTION_KEY: true,
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Opened {
  db: Db;
  /** The secret key kept in the data folder; absent for an external database. */
  keptSecretKey: (() => string) | undefined;
}

/** Parses the arguments into an operation on the database; throws a `StartError` for invalid ones. */
function commandOf([verb, email, ...rest]: readonly string[]): (opened: Opened) => Promise<void> {
  if (verb === "list" && email === undefined) return ({ db }) => list(db);
  if (verb === "reencrypt" && email === undefined) return reencryptAll;
  if ((verb !== "grant" && verb !== "revoke") || email === undefined || rest.length > 0) {
    throw new StartError([USAGE]);
  }
  if (!z.email().safeParse(email).success) throw new StartError([`EMAIL: ${email} is not an email address`]);
  return verb === "grant" ? ({ db }) => grant(db, email) : ({ db }) => revoke(db, email);
}

async function list(db: Db): Promise<void> {
  const accounts = await listAdministrators({ db });
  for (const { email, username, isActive, isVerified } of accounts) {
    const notes = [...(isActive ? [] : ["disabled"]), ...(isVerified ? [] : ["address not proved"])];
    say([email, username, ...(notes.length > 0 ? [`(${notes.join(", ")})`] : [])].join("  "));
  }
  if (accounts.length === 0) say("No account is an administrator.");
}

async function grant(db: Db, address: string): Promise<void> {
  const { email, isVerified, createdAt, changed }: ChangedAccount = await grantAdministrator({ db }, address);
  say(`${email} ${changed ? "is an administrator now" : "is an administrator already"}.`);
  if (isVerified) return;
  console.error(
    `Its address was never proved: make sure that you made this account (registered ${createdAt.toISOString()}).`,
  );
}

async function revoke(db: Db, address: string): Promise<void> {
  const { email, changed } = await revokeAdministrator({ db }, address);
  say(`${email} ${changed ? "is no longer an administrator" : "is not an administrator"}.`);
  if ((await listAdministrators({ db })).length === 0) console.error("No administrator is left.");
}

/** Re-encrypts with the service's keys; those of the data folder where the environment names none. */
async function reencryptAll({ db, keptSecretKey }: Opened): Promise<void> {
  const secretKey = process.env["SECRET_KEY"] || keptSecretKey?.();
  const configuration = EncryptionVariables.safeParse({ ...process.env, SECRET_KEY: secretKey });
  if (!configuration.success) {
    throw new StartError(
      problemsOf(configuration.error).map(({ variable, problem }) => `${variable}: ${problem}`),
    );
  }
  const columns = await reencrypt({ db, ...createSecretsAtRest(configuration.data) });
  for (const { table, column, rewritten, unreadable } of columns) {
    say(
      `${table}.${column}: ${rewritten} encrypted anew${unreadable > 0 ? `, ${unreadable} under no key that is configured` : ""}`,
    );
  }
  if (columns.some(({ unreadable }) => unreadable > 0)) process.exitCode = 1;
}

/** Runs an operation on the database of DATABASE_URL, or on the embedded one of a stopped service. */
async function withDatabase(run: (opened: Opened) => Promise<void>): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const databaseUrl = process.env["DATABASE_URL"];
  const dataDir = path.resolve(process.env["DATA_DIR"] || ".data");
  let keptSecretKey: Opened["keptSecretKey"];
  if (!databaseUrl) {
    if (!existsSync(path.join(dataDir, "postgres"))) {
      throw new StartError([
        `DATA_DIR: ${dataDir} has no database: start the service once, or set DATABASE_URL`,
      ]);
    }
    const held = openDataDir(dataDir, (line) => console.error(line));
    opened.defer(() => held.release());
    keptSecretKey = () => held.secretKey();
  }
  const neon = await startNeon({ dataDir, databaseUrl: databaseUrl || undefined }).catch((error: unknown) => {
    throw new StartError([`DATABASE_URL: the database did not open (${reasonOf(error)})`], { cause: error });
  });
  opened.defer(() => neon.close());
  // Only the embedded database is migrated: an external one may belong to another version.
  if (!databaseUrl) await migrate(neon.pool);
  const db = createDb({ databaseUrl: neon.databaseUrl, httpUrl: neon.httpUrl, trips: newTrips() });
  await run({ db, keptSecretKey });
}

/** `npm run admin`: manages the administrators of an installation, and the keys of its secrets, without signing in. */
if (import.meta.main) {
  keepFilesPrivate();
  if (existsSync(".env")) process.loadEnvFile(".env");
  try {
    await withDatabase(commandOf(process.argv.slice(2)));
  } catch (error) {
    const lines = error instanceof StartError ? error.lines : [reasonOf(error)];
    for (const line of lines) console.error(line);
    process.exitCode = 1;
  }
}

/** Returns an error as one line. Drizzle's own message is the query; the actual error is its cause. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ");
  if (!(error instanceof Error)) return String(error);
  if (!error.message.startsWith("Failed query")) return error.message;
  return `${reasonOf(error.cause)}: is the database migrated (npm run migrate)?`;
}
