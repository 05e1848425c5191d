import { existsSync } from "node:fs";
import path from "node:path";
import { readConfiguration, type Configuration } from "./configuration.ts";
import { temporaryDir } from "./data-dir.ts";
import { startStack, type Stack } from "./stack.ts";
import { StartError } from "./start-error.ts";

/** An orderly end that takes longer is cut short; the next start recovers what was under way, as after a kill. */
const STOP_TIMEOUT_MS = 4_000;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * `npm start`: the whole service, until a signal ends it. Standard output gets one line, `ready <address>`, once it
 * serves; what a person wants to know goes to standard error. Ends the process when it cannot start.
 */
export async function runService(): Promise<Stack> {
  if (existsSync(".env")) process.loadEnvFile(".env");
  try {
    const configuration = readConfiguration(process.env);
    process.env["TMPDIR"] = temporaryDir(configuration.dataDir);
    const starting = Promise.withResolvers<Stack>();
    // Heard before the first word is said: a signal without a handler would end the process on the spot.
    const isStopping = stopOnSignal(starting.promise);
    say("Starting: building the Worker and opening the data …");
    starting.resolve(startStack(configuration, { log: say }));
    const stack = await starting.promise;
    if (!isStopping()) {
      introduce(stack, configuration);
      process.stdout.write(`ready ${stack.url}\n`);
    }
    return stack;
  } catch (error) {
    return giveUp(error);
  }
}

function giveUp(error: unknown): never {
  if (!(error instanceof StartError)) throw error;
  for (const line of error.lines) say(line);
  process.exit(1);
}

/** Also while it is still starting, which is let come to its end first. */
function stopOnSignal(starting: Promise<Stack>): () => boolean {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(0), STOP_TIMEOUT_MS);
    void starting.then((stack) => stack.close()).finally(() => process.exit(0));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  return () => stopping;
}

function introduce(stack: Stack, configuration: Configuration): void {
  const { database, redis, queue, variables } = configuration;
  say(
    [
      "",
      `  Service    ${stack.url} (${variables["ENVIRONMENT"]})`,
      `  API        ${stack.url}/docs`,
      `  Database   ${database.kind === "embedded" ? "embedded PostgreSQL" : "DATABASE_URL"}`,
      `  Redis      ${redis.kind === "embedded" ? "embedded, in memory" : "REDIS_URL"}`,
      `  Queue      ${queue === "embedded" ? "embedded" : "QSTASH_URL"}`,
      `  Model      ${variables["DEFAULT_MODEL"]}`,
      `  Data       ${fromHere(configuration.dataDir)}`,
      `  Log        ${fromHere(stack.logFile)}`,
      ...governedBy(configuration),
      ...(stack.callbacksUrl ? [`  Callbacks  ${stack.callbacksUrl} (shows what it receives)`] : []),
      ...(stack.mailUrl ? [`  Mail       ${stack.mailUrl} (shows what would be sent)`] : []),
      "",
      '  Try it     npm run demo -- "Write a haiku to poem.txt and show it"',
      "  Stop it    Ctrl-C",
      "",
    ].join("\n"),
  );
}

/** Who administers an installation in production, where the first account does not. */
function governedBy({ development, variables }: Configuration): string[] {
  if (development) return [];
  const named = variables["ADMIN_EMAIL"];
  if (named) return [`  Admin      ${named}, once the address is proved`];
  return [
    "  Admin      no account becomes an administrator: set ADMIN_EMAIL, or run `npm run admin -- grant EMAIL`",
  ];
}

/** A path as one would type it. */
function fromHere(file: string): string {
  return path.relative(process.cwd(), file) || ".";
}

if (import.meta.main) await runService();
