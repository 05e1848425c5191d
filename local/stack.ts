import path from "node:path";
import { Pool } from "pg";
import { Variables as WorkerVariables } from "#src/configuration/index.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import { startCallbacks } from "#stand-ins/callbacks/index.ts";
import { startChatPlatform } from "#stand-ins/chat-platform/index.ts";
import { startCommandRunner } from "#hosts/command-runner/index.ts";
import { startEgress } from "#hosts/egress/index.ts";
import { startHosting } from "#stand-ins/hosting/index.ts";
import { startMail } from "#stand-ins/mail/index.ts";
import { startDemoModel } from "#stand-ins/model/index.ts";
import { startNeon } from "#stand-ins/neon/index.ts";
import type { Faults } from "#stand-ins/queue/faults.ts";
import { startQueue } from "#stand-ins/queue/index.ts";
import { startRedis } from "#stand-ins/redis/index.ts";
import { startStripe } from "#stand-ins/stripe/index.ts";
import { startRuntimeHost } from "#hosts/runtime-host/index.ts";
import { CAUGHT_MAIL, type Configuration } from "./configuration.ts";
import { startCron } from "./cron.ts";
import { openDataDir } from "./data-dir.ts";
import { leashChildren } from "./leash.ts";
import { addDemoAgents } from "./demo-agents.ts";
import { migrate } from "./migrate.ts";
import { holdPort } from "./port.ts";
import { StartError } from "./start-error.ts";
import { untilReady } from "./until-ready.ts";
import { buildWorker } from "./worker/build.ts";
import { writeAddresses } from "./addresses.ts";
import { buildDir, startWorker } from "./worker/index.ts";

export interface Stack {
  /** Address of the service. */
  url: string;
  /** The Worker's variables. */
  variables: Readonly<Record<string, string>>;
  /** The receiver for callbacks, in development. */
  callbacksUrl: string | undefined;
  /** Where caught mails can be read, in development without a mail server. */
  mailUrl: string | undefined;
  /** The chat platform and its page, in development. */
  chatPlatformUrl: string | undefined;
  /** The stand-in for Stripe and its pages, outside production without an account at Stripe. */
  stripeUrl: string | undefined;
  /** The stand-in for hosting providers, with its page and its sites, outside production. */
  hostingUrl: string | undefined;
  logFile: string;
  /** Address for DevTools, if it was started `inspected`. */
  inspectorUrl: string | undefined;
  /** Rebuilds the Worker and replaces the running one. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

type Variables = Readonly<Record<string, string>>;

export interface StackOptions {
  log: (line: string) => void;
  /** Faults of the local queue; for tests. */
  faults?: Faults;
  /** Returns the variables for the Worker instead, so that a test can intercept the servers. */
  reroute?: (variables: Variables) => Variables;
  /** Runs an unminified Worker with an inspector; for profiles. */
  inspected?: boolean;
}

/**
 * Runs the whole service on this machine: the Worker in workerd, and a local server for each external service that the
 * configuration does not name. Throws a `StartError` for problems that the operator can fix; started parts are closed
 * then.
 */
export async function startStack(configuration: Configuration, options: StackOptions): Promise<Stack> {
  await using started = new AsyncDisposableStack();
  const { log } = options;
  const dataDir = openDataDir(configuration.dataDir, log);
  started.defer(() => dataDir.release());
  const leash = leashChildren();
  started.defer(() => leash.release());

  const held = await holdPort(configuration.host, configuration.port);
  started.defer(() => held.release());
  const url = address(configuration.host, held.port);
  const publicUrl = configuration.publicUrl ?? url;
  const hosting = await openHosting(configuration, { publicUrl, log }, started);
  const [build, database, redis, model, outbound, mail, runtime] = await Promise.all([
    buildWorker(buildDir(dataDir.path), { readable: options.inspected }),
    openDatabase(configuration, started),
    openRedis(configuration, started),
    openModel(configuration, started),
    openOutbound(configuration, hosting.url, started),
    openMail(configuration, log, started),
    openRuntime(configuration, log, started),
  ]);
  const chatPlatform = await openChatPlatform(configuration, { publicUrl, url }, started);
  const stripe = await openPayments(configuration, { url, log }, started);
  const queue = await openQueue(
    configuration,
    { publicUrl, url, log, faults: options.faults ?? {} },
    started,
  );

  const wired = {
    SECRET_KEY: configuration.variables["SECRET_KEY"] ?? dataDir.secretKey(),
    ...configuration.variables,
    PUBLIC_URL: publicUrl,
    ...database,
    ...redis,
    ...model,
    ...outbound.variables,
    ...mail.variables,
    ...chatPlatform.variables,
    ...stripe.variables,
    ...hosting.variables,
    ...runtime,
    ...queue.variables,
  };
  const variables = options.reroute?.(wired) ?? wired;
  await held.release();
  let cron: ReturnType<typeof startCron> | undefined;
  const worker = await startWorker(build, {
    host: configuration.host,
    port: held.port,
    dataDir: dataDir.path,
    variables,
    inspected: options.inspected,
    onRestart: () => {
      // Requests that workerd had under way got no response and are delivered again at once.
      queue.begin();
      stripe.begin();
      // Connections to platforms ended with it, and are made again at once.
      cron?.again();
    },
  });
  started.defer(() => worker.close());
  await untilReady(url);
  queue.begin();
  stripe.begin();
  cron = startCron({ expressions: worker.crons, run: (expression) => worker.runCron(expression), log });
  started.defer(() => cron?.close());

  const addresses = {
    url,
    callbacksUrl: outbound.callbacksUrl,
    mailUrl: mail.mailUrl,
    chatPlatformUrl: chatPlatform.url,
    stripeUrl: stripe.url,
    hostingUrl: hosting.url,
  };
  writeAddresses(dataDir.path, addresses);
  const owned = started.move();
  return {
    ...addresses,
    variables,
    logFile: worker.logFile,
    inspectorUrl: worker.inspectorUrl,
    reload: () => worker.reload(),
    close: () => owned.disposeAsync(),
  };
}

async function openDatabase(
  { database, dataDir, development }: Configuration,
  started: AsyncDisposableStack,
): Promise<Variables> {
  if (database.kind === "neon") {
    const pool = new Pool({ connectionString: database.url, max: 1 });
    try {
      await migrate(pool);
      if (development) await addDemoAgents(pool);
    } catch (error) {
      throw databaseFailed(error);
    } finally {
      await pool.end();
    }
    return { DATABASE_URL: database.url };
  }
  try {
    const databaseUrl = database.kind === "bridge" ? database.url : undefined;
    const neon = await startNeon({ dataDir, databaseUrl });
    started.defer(() => neon.close());
    await migrate(neon.pool);
    if (development) await addDemoAgents(neon.pool);
    return { DATABASE_URL: neon.databaseUrl, NEON_HTTP_URL: neon.httpUrl };
  } catch (error) {
    throw databaseFailed(error);
  }
}

function databaseFailed(cause: unknown): StartError {
  return new StartError([`DATABASE_URL: the database did not open (${message(cause)})`], { cause });
}

async function openRedis({ redis }: Configuration, started: AsyncDisposableStack): Promise<Variables> {
  if (redis.kind === "rest") return {};
  try {
    const server = await startRedis({ redisUrl: redis.kind === "bridge" ? redis.url : undefined });
    started.defer(() => server.close());
    return { REDIS_URL: server.url, REDIS_TOKEN: server.token };
  } catch (error) {
    throw new StartError([`REDIS_URL: Redis did not answer (${message(error)})`], { cause: error });
  }
}

async function openModel({ development }: Configuration, started: AsyncDisposableStack): Promise<Variables> {
  if (!development) return {};
  const model = await startDemoModel();
  started.defer(() => model.close());
  return { DEMO_MODEL_URL: model.url };
}

/**
 * Opens outbound access to addresses that users supply, and in development a receiver for their callbacks. The stand-in for
 * hosting providers answers with addresses of its own, as for uploads and logs.
 */
async function openOutbound(
  { development, outbound, port }: Configuration,
  hostingUrl: string | undefined,
  started: AsyncDisposableStack,
): Promise<{ variables: Variables; callbacksUrl: string | undefined }> {
  const allowedOrigins = [...outbound.allowedOrigins];
  let callbacksUrl: string | undefined;
  if (development) {
    // The port after the service's own, so that an address from before a restart stays valid.
    const callbacks = await startCallbacks(port === 0 ? {} : { preferredPort: port + 1 });
    started.defer(() => callbacks.close());
    callbacksUrl = callbacks.url;
    allowedOrigins.push(callbacks.origin);
  }
  if (hostingUrl !== undefined) allowedOrigins.push(hostingUrl);
  const egress = await startEgress({ allowPrivate: outbound.allowPrivate, allowedOrigins });
  started.defer(() => egress.close());
  const variables = { EGRESS_URL: egress.url, OUTBOUND_ALLOWED_ORIGINS: allowedOrigins.join(",") };
  return { variables, callbacksUrl };
}

/** In development without a mail server, starts the mail catcher. */
async function openMail(
  { mail, port, variables }: Configuration,
  log: (line: string) => void,
  started: AsyncDisposableStack,
): Promise<{ variables: Variables; mailUrl: string | undefined }> {
  if (mail !== "caught") return { variables: {}, mailUrl: undefined };
  // Two after the service's own port, so that it is the same after a restart.
  const catcher = await startMail({ log, ...(port !== 0 && { preferredPort: port + 2 }) });
  started.defer(() => catcher.close());
  return {
    variables: {
      ...CAUGHT_MAIL,
      ...(variables["SMTP_SENDER_EMAIL"] && { SMTP_SENDER_EMAIL: variables["SMTP_SENDER_EMAIL"] }),
      SMTP_PORT: String(catcher.port),
    },
    mailUrl: catcher.url,
  };
}

/**
 * In development, starts the chat platform. Where TELEGRAM_API_BASE_URL is set, the Worker does not learn its address:
 * all bots are then at that one.
 */
async function openChatPlatform(
  { development, dataDir, port, variables }: Configuration,
  { publicUrl, url }: { publicUrl: string; url: string },
  started: AsyncDisposableStack,
): Promise<{ variables: Variables; url: string | undefined }> {
  if (!development) return { variables: {}, url: undefined };
  const platform = await startChatPlatform({
    dataDir,
    rebase: { publicUrl: withoutSlash(publicUrl), deliverTo: url },
    // Five after the service's own port, so that it is the same after a restart.
    ...(port !== 0 && { preferredPort: port + 5 }),
  });
  started.defer(() => platform.close());
  const isUsed = variables["TELEGRAM_API_BASE_URL"] === undefined;
  return { variables: isUsed ? { CHAT_PLATFORM_URL: platform.url } : {}, url: platform.url };
}

const PriceVariables = WorkerVariables.pick({
  TIER_PRICE_BASIC: true,
  TIER_PRICE_PRO: true,
  TIER_PRICE_ULTRA: true,
});

/** Months that are paid for a year. */
const MONTHS_OF_A_YEAR = 10;

/** Outside production and without an account at Stripe, starts the stand-in, with prices as the tiers are shown. */
async function openPayments(
  { payments, dataDir, port, variables }: Configuration,
  { url, log }: { url: string; log: (line: string) => void },
  started: AsyncDisposableStack,
): Promise<{ variables: Variables; url: string | undefined; begin: () => void }> {
  if (payments !== "standin") return { variables: {}, url: undefined, begin: () => {} };
  const prices = PriceVariables.parse(variables);
  const catalogue = (["BASIC", "PRO", "ULTRA"] as const).flatMap((tier) => {
    const name = tier.toLowerCase();
    const amountCents = prices[`TIER_PRICE_${tier}`];
    return [
      {
        variable: `STRIPE_${tier}_PRICE_ID`,
        id: `price_standin_${name}`,
        name,
        amountCents,
        interval: "month",
      },
      {
        variable: `STRIPE_${tier}_ANNUAL_PRICE_ID`,
        id: `price_standin_${name}_annual`,
        name: `${name}, a year`,
        amountCents: amountCents * MONTHS_OF_A_YEAR,
        interval: "year",
      },
    ] as const;
  });
  const stripe = await startStripe({
    dataDir,
    deliverTo: url,
    catalogue,
    log,
    // Three after the service's own port, so that it is the same after a restart.
    ...(port !== 0 && { preferredPort: port + 3 }),
  });
  started.defer(() => stripe.close());
  return {
    variables: {
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_API_BASE_URL: stripe.url,
      ...Object.fromEntries(catalogue.map(({ variable, id }) => [variable, id])),
    },
    url: stripe.url,
    begin: () => stripe.begin(),
  };
}

/** Outside production, starts the stand-in for hosting providers. */
async function openHosting(
  { hosting, dataDir, port }: Configuration,
  { publicUrl, log }: { publicUrl: string; log: (line: string) => void },
  started: AsyncDisposableStack,
): Promise<{ variables: Variables; url: string | undefined }> {
  if (hosting === "none") return { variables: {}, url: undefined };
  const server = await startHosting({
    dataDir,
    publicUrl,
    log,
    // Four after the service's own port, so that it is the same after a restart.
    ...(port !== 0 && { preferredPort: port + 4 }),
  });
  started.defer(() => server.close());
  return { variables: { HOSTING_STANDIN_URL: server.url }, url: server.url };
}

/** Starts the runtime of projects, or the runner of their emulated commands, as processes of this machine. */
async function openRuntime(
  { runtimeHost, outbound, dataDir }: Configuration,
  log: (line: string) => void,
  started: AsyncDisposableStack,
): Promise<Variables> {
  if (!runtimeHost) {
    const runner = await startCommandRunner({ dir: path.join(dataDir, "command-runner") });
    started.defer(() => runner.close());
    return { COMMAND_RUNNER_URL: runner.url };
  }
  const { limits, network } = runtimeHost;
  const host = await startRuntimeHost({ dataDir, limits, outbound, network, log });
  started.defer(() => host.close());
  return { RUNTIME_HOST_URL: host.url };
}

async function openQueue(
  { queue, dataDir }: Configuration,
  options: { publicUrl: string; url: string; log: (line: string) => void; faults: Faults },
  started: AsyncDisposableStack,
): Promise<{ variables: Variables; begin: () => void }> {
  if (queue === "qstash") return { variables: {}, begin: () => {} };
  const { publicUrl, url: deliverTo, log, faults } = options;
  const server = await startQueue({ dataDir, publicUrl, deliverTo, log, faults });
  started.defer(() => server.close());
  return {
    variables: {
      QSTASH_URL: server.url,
      QSTASH_TOKEN: server.token,
      QSTASH_CURRENT_SIGNING_KEY: server.currentSigningKey,
      QSTASH_NEXT_SIGNING_KEY: server.nextSigningKey,
    },
    begin: () => server.begin(),
  };
}

/** Returns the address of the service for a client on this machine. */
function address(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
