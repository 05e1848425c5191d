import path from "node:path";
import { z } from "zod";
import { checkVariables, Variables, type ConfigurationProblem } from "#src/configuration/index.ts";
import type { ProjectLimits } from "#hosts/runtime-host/limits.ts";
import { StartError } from "./start-error.ts";

/** The checked configuration of `npm start`, with defaults for one machine. */
export interface Configuration {
  host: string;
  /** 0 = any free port. */
  port: number;
  /** Absolute path. */
  dataDir: string;
  /** `undefined` = the address on which the service listens. */
  publicUrl: string | undefined;
  /** False in production; otherwise the demo model and the callback receiver run. */
  development: boolean;
  /** `neon` and `bridge` with the address; a Neon database needs no bridge. */
  database: { kind: "embedded" } | { kind: "bridge" | "neon"; url: string };
  /** `rest` is an Upstash database, or no Redis at all (`off`). */
  redis: { kind: "embedded" | "rest" } | { kind: "bridge"; url: string };
  queue: "embedded" | "qstash";
  /** `caught` shows mails instead of sending them; `none` is production without a mail server. */
  mail: "caught" | "smtp" | "none";
  /** `standin` is Stripe on this machine; `none` has no payments. */
  payments: "standin" | "stripe" | "none";
  /** Whether the stand-in for hosting providers runs. */
  hosting: "standin" | "none";
  outbound: { allowPrivate: boolean; allowedOrigins: string[] };
  /** For projects that run as processes of this machine; `undefined` with another runtime. */
  runtimeHost: { limits: ProjectLimits; network: boolean } | undefined;
  /**
   * The Worker's variables that do not depend on the stack's servers. SECRET_KEY is absent when it is to be generated.
   */
  variables: Readonly<Record<string, string>>;
}

/** Variables of `npm start` itself, which the Worker does not get. */
export const LocalVariables = z.object({
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: z.coerce
    .number("must be a number")
    .int("must be a whole number")
    .min(0, "must be 0 to 65535")
    .max(65_535, "must be 0 to 65535")
    .default(8787),
  DATA_DIR: z.string().default(".data"),
});

const QUEUE_VARIABLES = [
  "QSTASH_URL",
  "QSTASH_TOKEN",
  "QSTASH_CURRENT_SIGNING_KEY",
  "QSTASH_NEXT_SIGNING_KEY",
] as const;

/**
 * Reads the configuration from environment variables. Throws a `StartError` with a line for every invalid variable. An
 * empty variable counts as absent.
 */
export function readConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  const given = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
  const local = LocalVariables.safeParse(given);
  const problems: ConfigurationProblem[] = [
    ...(local.error?.issues ?? []).map(({ path: [name], message }) => ({
      variable: String(name),
      problem: message,
    })),
    ...queueProblems(given),
    ...standinProblems(given),
  ];
  const bridgesRedis = /^redis:\/\/.+/u.test(given["REDIS_URL"] ?? "");
  const variables: Record<string, string> = {
    ENVIRONMENT: "development",
    ...(!given["OPENAI_API_KEY"] && !given["ANTHROPIC_API_KEY"] && { DEFAULT_MODEL: "demo" }),
    ...given,
  };
  const complete = {
    ...filledInByTheStack(given, bridgesRedis),
    ...variables,
    ...(bridgesRedis && BRIDGED_REDIS),
  };
  const told = new Set(problems.map(({ variable }) => variable));
  problems.push(...checkVariables(complete).filter(({ variable }) => !told.has(variable)));
  if (problems.length > 0 || !local.success)
    throw new StartError(problems.map(({ variable, problem }) => `${variable}: ${problem}`));

  return {
    host: local.data.HOST,
    port: local.data.PORT,
    dataDir: path.resolve(local.data.DATA_DIR),
    publicUrl: given["PUBLIC_URL"],
    development: variables["ENVIRONMENT"] !== "production",
    database: databaseOf(given["DATABASE_URL"]),
    redis: redisOf(given["REDIS_URL"], bridgesRedis),
    queue: given["QSTASH_TOKEN"] ? "qstash" : "embedded",
    mail: mailOf(given),
    payments: paymentsOf(given),
    hosting: hostingOf(given),
    outbound: {
      allowPrivate: given["OUTBOUND_ALLOW_PRIVATE"] === "true",
      allowedOrigins: given["OUTBOUND_ALLOWED_ORIGINS"]?.split(",") ?? [],
    },
    runtimeHost: runtimeHostOf(given),
    variables: Object.fromEntries(Object.entries(variables).filter(([name]) => name in Variables.shape)),
  };
}

const NOWHERE = "http://127.0.0.1:9";
const BRIDGED_REDIS = { REDIS_URL: NOWHERE, REDIS_TOKEN: "-" };

/** Settings of the mail catcher; its port is known when it runs. */
export const CAUGHT_MAIL = {
  SMTP_HOST: "127.0.0.1",
  SMTP_SENDER_EMAIL: "no-reply@workspace.localhost",
  SMTP_USE_TLS: "false",
};

/** Placeholders for values that the running stack will set, so that the rest can be checked before anything runs. */
function filledInByTheStack(given: Record<string, string>, bridgesRedis: boolean): Record<string, string> {
  const production = given["ENVIRONMENT"] === "production";
  return {
    PUBLIC_URL: NOWHERE,
    DATABASE_URL: "postgres://local",
    ...(!given["REDIS_URL"] && !bridgesRedis && BRIDGED_REDIS),
    // In production the service refuses generated or public values.
    ...(!production && { SECRET_KEY: "-".repeat(64), DEMO_MODEL_URL: NOWHERE }),
    ...(mailOf(given) === "caught" && CAUGHT_MAIL),
    ...(given["PROJECT_RUNTIME"] === "host" && { RUNTIME_HOST_URL: NOWHERE }),
    ...(!production && Object.fromEntries(QUEUE_VARIABLES.map((name) => [name, NOWHERE]))),
  };
}

function queueProblems(given: Record<string, string>): ConfigurationProblem[] {
  const missing = QUEUE_VARIABLES.filter((name) => !given[name]);
  if (missing.length === QUEUE_VARIABLES.length) return [];
  return missing.map((variable) => ({
    variable,
    problem: "is required when another QSTASH_ variable is set",
  }));
}

const HostVariables = Variables.pick({
  PROJECT_RUNTIME: true,
  PROJECT_MEMORY_MB: true,
  PROJECT_PROCESSES: true,
  PROJECT_CPU_PERCENT: true,
  PROJECT_DISK_MB: true,
  PROJECT_NETWORK: true,
});

const MEBIBYTE = 1024 * 1024;

function runtimeHostOf(given: Record<string, string>): Configuration["runtimeHost"] {
  const host = HostVariables.parse(given);
  if (host.PROJECT_RUNTIME !== "host") return undefined;
  return {
    limits: {
      memoryBytes: host.PROJECT_MEMORY_MB * MEBIBYTE,
      tasks: host.PROJECT_PROCESSES,
      cpuPercent: host.PROJECT_CPU_PERCENT,
      diskBytes: host.PROJECT_DISK_MB * MEBIBYTE,
    },
    network: host.PROJECT_NETWORK,
  };
}

function mailOf(given: Record<string, string>): Configuration["mail"] {
  if (given["SMTP_HOST"]) return "smtp";
  return given["ENVIRONMENT"] === "production" ? "none" : "caught";
}

/** The stand-in runs outside production where there is no account at Stripe, unless it is switched off. */
function paymentsOf(given: Record<string, string>): Configuration["payments"] {
  if (given["STRIPE_SECRET_KEY"]) return "stripe";
  return given["ENVIRONMENT"] === "production" || given["STRIPE_STANDIN"] === "false" ? "none" : "standin";
}

/** The stand-in runs outside production, unless it is switched off: only tokens that begin `standin_` lead to it. */
function hostingOf(given: Record<string, string>): Configuration["hosting"] {
  return given["ENVIRONMENT"] === "production" || given["HOSTING_STANDIN"] === "false" ? "none" : "standin";
}

function standinProblems(given: Record<string, string>): ConfigurationProblem[] {
  if (given["STRIPE_STANDIN"] !== "true" || !given["STRIPE_SECRET_KEY"]) return [];
  return [
    {
      variable: "STRIPE_STANDIN",
      problem: "has a secret key of its own: leave out STRIPE_SECRET_KEY, or this",
    },
  ];
}

function databaseOf(url: string | undefined): Configuration["database"] {
  if (!url) return { kind: "embedded" };
  return { kind: new URL(url).hostname.endsWith(".neon.tech") ? "neon" : "bridge", url };
}

function redisOf(url: string | undefined, bridged: boolean): Configuration["redis"] {
  if (!url) return { kind: "embedded" };
  return bridged ? { kind: "bridge", url } : { kind: "rest" };
}
