import { existsSync } from "node:fs";
import path from "node:path";
import { readConfiguration, type Configuration } from "./configuration.ts";
import { keepFilesPrivate, temporaryDir } from "./data-dir.ts";
import { startStack, type Stack, type StackOptions } from "./stack.ts";
import { StartError } from "./start-error.ts";

/** Time limit of an orderly end; the next start recovers interrupted work, as after a kill. */
const STOP_TIMEOUT_MS = 4_000;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * `npm start`: runs the whole service until a signal ends it. Standard output gets one line, `ready <address>`, once it
 * serves; messages for people go to standard error. Ends the process when it cannot start. `options` are for tests.
 */
export async function runService(options: Pick<StackOptions, "reroute"> = {}): Promise<Stack> {
  if (existsSync(".env")) process.loadEnvFile(".env");
  keepFilesPrivate();
  try {
    const configuration = readConfiguration(process.env);
    process.env["TMPDIR"] = temporaryDir(configuration.dataDir);
    const starting = Promise.withResolvers<Stack>();
    // Registered before the first output: a signal without a handler would end the process at once.
    const isStopping = stopOnSignal(starting.promise);
    say("Starting: building the Worker and opening the data …");
    starting.resolve(startStack(configuration, { ...options, log: say }));
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

/** Stops on a signal, also during the start, which is completed first. */
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
      ...(stack.chatPlatformUrl
        ? [`  Chats      ${stack.chatPlatformUrl} (people for bots whose token begins with standin)`]
        : []),
      ...(stack.stripeUrl ? [`  Payments   ${stack.stripeUrl} (a stand-in for Stripe; no money moves)`] : []),
      ...(stack.hostingUrl
        ? [`  Hosting    ${stack.hostingUrl} (five providers for tokens that begin with standin_)`]
        : []),
      "",
      '  Try it     npm run demo -- "Write a haiku to poem.txt and show it"',
      "  Stop it    Ctrl-C",
      "",
    ].join("\n"),
  );
}

/** Lines about who administers an installation in production, where the first account does not. */
function governedBy({ development, variables }: Configuration): string[] {
  if (development) return [];
  const named = variables["ADMIN_EMAIL"];
  if (named) return [`  Admin      ${named}, once the address is proved`];
  return [
    "  Admin      no account becomes an administrator: set ADMIN_EMAIL, or run `npm run admin -- grant EMAIL`",
  ];
}

/** Returns a path relative to the working directory. */
function fromHere(file: string): string {
  return path.relative(process.cwd(), file) || ".";
}

if (import.meta.main) await runService();
