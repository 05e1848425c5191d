import type { z } from "zod";
import { checkOutboundUrl } from "#src/lib/outbound-url.ts";
import { namesIn } from "#src/models/settings.ts";
import { isPreviewOrigin, previewsShareDomain } from "./preview-domain.ts";
import type { Variables } from "./variables/index.ts";

interface Rule {
  /** The variable to change. */
  variable: string;
  problem: string;
  /** Tests for the problem. Variables that are invalid by themselves are passed unparsed. */
  broken: (env: Partial<Variables>) => boolean;
}

const isOpenAi = (model: string | undefined) =>
  model !== undefined && model !== "demo" && !model.startsWith("claude-");

const platformModels = ({ PLATFORM_MODELS: list = "" }: Partial<Variables>) => namesIn(list);

/** An invalid value of CORS_ORIGINS counts as an empty list. */
const trustedOrigins = ({ CORS_ORIGINS: list }: Partial<Variables>) => (Array.isArray(list) ? list : []);

const isPlainHttp = (origin: string) => origin.startsWith("http:");

/** Either both are set or neither is. */
const onlyTogether = (one: keyof Variables, other: keyof Variables): Rule[] =>
  [
    { variable: one, given: other },
    { variable: other, given: one },
  ].map(({ variable, given }) => ({
    variable,
    problem: `is required with ${given}`,
    broken: (env) => Boolean(env[given]) && !env[variable],
  }));

/** Tokens and secrets are sent to this address. */
const httpsInProduction = (variable: keyof Variables): Rule => ({
  variable,
  problem: "must be an https:// address in production",
  broken: (env) => env.ENVIRONMENT === "production" && String(env[variable]).startsWith("http:"),
});

/**
 * Passwords and tokens are sent to this address. On a private network or the local machine, http is the operator's
 * decision.
 */
const httpsOnTheInternet = (variable: "PUBLIC_URL" | "APP_BASE_URL"): Rule => ({
  variable,
  problem: "must be an https:// address in production: passwords and tokens go there",
  broken: (env) => {
    const url = env[variable] ?? "";
    const isOnTheInternet = checkOutboundUrl(url, { allowPrivate: false, allowedOrigins: [] }) === undefined;
    return env.ENVIRONMENT === "production" && url.startsWith("http:") && isOnTheInternet;
  },
});

/** Rules that combine several variables. */
const RULES: readonly Rule[] = [
  {
    variable: "DEFAULT_MODEL",
    problem: "`demo` never runs in production",
    broken: (env) => env.DEFAULT_MODEL === "demo" && env.ENVIRONMENT === "production",
  },
  {
    variable: "DEMO_MODEL_URL",
    problem: "is required for the model `demo`",
    broken: (env) => env.DEFAULT_MODEL === "demo" && env.ENVIRONMENT !== "production" && !env.DEMO_MODEL_URL,
  },
  {
    variable: "ANTHROPIC_API_KEY",
    problem: "is required for a DEFAULT_MODEL that starts with claude-",
    broken: (env) => env.DEFAULT_MODEL?.startsWith("claude-") === true && !env.ANTHROPIC_API_KEY,
  },
  {
    variable: "OPENAI_API_KEY",
    problem: "is required for a DEFAULT_MODEL that does not start with claude-",
    broken: (env) => isOpenAi(env.DEFAULT_MODEL) && !env.OPENAI_API_KEY,
  },
  {
    variable: "ANTHROPIC_API_KEY",
    problem: "is required for what starts with claude- in PLATFORM_MODELS",
    broken: (env) => platformModels(env).some((name) => name.startsWith("claude-")) && !env.ANTHROPIC_API_KEY,
  },
  {
    variable: "OPENAI_API_KEY",
    problem: "is required for what does not start with claude- in PLATFORM_MODELS",
    broken: (env) => platformModels(env).some(isOpenAi) && !env.OPENAI_API_KEY,
  },
  {
    variable: "DEMO_MODEL_URL",
    problem: "is required for the model `demo` in PLATFORM_MODELS, which is for `npm start`",
    broken: (env) => platformModels(env).includes("demo") && !env.DEMO_MODEL_URL,
  },
  {
    variable: "CHAT_PLATFORM_URL",
    problem: "is for `npm start` outside production",
    broken: (env) => env.ENVIRONMENT === "production" && env.CHAT_PLATFORM_URL !== undefined,
  },
  {
    variable: "REDIS_TOKEN",
    problem: "is required with a REST REDIS_URL",
    broken: (env) => env.REDIS_URL?.startsWith("http") === true && !env.REDIS_TOKEN,
  },
  {
    variable: "COOKIE_SAMESITE",
    problem: "`none` needs COOKIE_SECURE: browsers drop such cookies otherwise",
    broken: (env) => env.COOKIE_SAMESITE === "none" && env.COOKIE_SECURE === false,
  },
  {
    variable: "TWO_FA_ENABLED",
    problem: "needs SMTP_HOST and SMTP_SENDER_EMAIL: the codes go by email",
    broken: (env) => env.TWO_FA_ENABLED === true && !env.SMTP_HOST && !env.SMTP_SENDER_EMAIL,
  },
  {
    variable: "REGISTRATION_REVEALS_ACCOUNTS",
    problem: "`false` needs SMTP_HOST and SMTP_SENDER_EMAIL: the owner of an address is told by mail",
    broken: (env) => env.REGISTRATION_REVEALS_ACCOUNTS === false && !env.SMTP_HOST && !env.SMTP_SENDER_EMAIL,
  },
  ...onlyTogether("STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"),
  {
    variable: "STRIPE_STANDIN",
    problem: "is for `npm start` outside production",
    broken: (env) => env.ENVIRONMENT === "production" && env.STRIPE_STANDIN === true,
  },
  {
    variable: "CREATOR_REVENUE_SHARE",
    problem: "and PLATFORM_REVENUE_SHARE must not be more than 1 together",
    broken: (env) => (env.CREATOR_REVENUE_SHARE ?? 0) + (env.PLATFORM_REVENUE_SHARE ?? 0) > 1.000_001,
  },
  ...onlyTogether("SMTP_HOST", "SMTP_SENDER_EMAIL"),
  ...onlyTogether("SMTP_USERNAME", "SMTP_PASSWORD"),
  ...onlyTogether("GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"),
  ...onlyTogether("GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"),
  ...onlyTogether("GITLAB_CLIENT_ID", "GITLAB_CLIENT_SECRET"),
  ...onlyTogether("BITBUCKET_CLIENT_ID", "BITBUCKET_CLIENT_SECRET"),
  ...onlyTogether("VERCEL_CLIENT_ID", "VERCEL_CLIENT_SECRET"),
  ...onlyTogether("NETLIFY_CLIENT_ID", "NETLIFY_CLIENT_SECRET"),
  ...onlyTogether("HEROKU_CLIENT_ID", "HEROKU_CLIENT_SECRET"),
  ...onlyTogether("DIGITALOCEAN_CLIENT_ID", "DIGITALOCEAN_CLIENT_SECRET"),
  ...(["HOSTING_STANDIN", "HOSTING_STANDIN_URL"] as const).map((variable): Rule => ({
    variable,
    problem: "is for `npm start` outside production",
    broken: (env) => env.ENVIRONMENT === "production" && Boolean(env[variable]),
  })),
  httpsOnTheInternet("PUBLIC_URL"),
  httpsOnTheInternet("APP_BASE_URL"),
  {
    variable: "COOKIE_SECURE",
    problem:
      "must not be false in production where PUBLIC_URL is https://: cookies would travel over http, too",
    broken: (env) =>
      env.ENVIRONMENT === "production" &&
      env.COOKIE_SECURE === false &&
      String(env.PUBLIC_URL).startsWith("https:"),
  },
  httpsInProduction("GITHUB_OAUTH_BASE_URL"),
  httpsInProduction("GITHUB_API_BASE_URL"),
  httpsInProduction("GOOGLE_OAUTH_ISSUER"),
  httpsInProduction("GITLAB_API_BASE_URL"),
  httpsInProduction("BITBUCKET_OAUTH_BASE_URL"),
  httpsInProduction("BITBUCKET_API_BASE_URL"),
  httpsInProduction("STRIPE_API_BASE_URL"),
  httpsInProduction("VERCEL_API_BASE"),
  httpsInProduction("VERCEL_OAUTH_BASE_URL"),
  httpsInProduction("NETLIFY_API_BASE"),
  httpsInProduction("NETLIFY_OAUTH_BASE_URL"),
  httpsInProduction("CLOUDFLARE_API_BASE"),
  httpsInProduction("HEROKU_API_BASE"),
  httpsInProduction("HEROKU_OAUTH_BASE_URL"),
  httpsInProduction("DIGITALOCEAN_API_BASE"),
  httpsInProduction("DIGITALOCEAN_OAUTH_BASE_URL"),
  httpsInProduction("TAVILY_API_BASE"),
  httpsInProduction("BRAVE_API_BASE"),
  httpsInProduction("AGENT_DISCORD_WEBHOOK_URL"),
  httpsInProduction("TELEGRAM_API_BASE_URL"),
  httpsInProduction("SLACK_API_BASE_URL"),
  httpsInProduction("DISCORD_API_BASE_URL"),
  httpsInProduction("WHATSAPP_API_BASE_URL"),
  httpsInProduction("OPENROUTER_API_BASE"),
  httpsInProduction("NANO_GPT_API_BASE"),
  httpsInProduction("OPENAI_API_BASE"),
  httpsInProduction("ANTHROPIC_API_BASE"),
  httpsInProduction("GROQ_API_BASE"),
  httpsInProduction("TOGETHER_API_BASE"),
  httpsInProduction("DEEPSEEK_API_BASE"),
  httpsInProduction("FIREWORKS_API_BASE"),
  httpsInProduction("Z_AI_API_BASE"),
  httpsInProduction("GOOGLE_API_BASE"),
  {
    variable: "RUNTIME_HOST_URL",
    problem: "is required with PROJECT_RUNTIME=host, which is for `npm start`",
    broken: (env) => env.PROJECT_RUNTIME === "host" && !env.RUNTIME_HOST_URL,
  },
  {
    variable: "OUTBOUND_ALLOWED_ORIGINS",
    problem: "is for development only",
    broken: (env) => env.ENVIRONMENT === "production" && Boolean(env.OUTBOUND_ALLOWED_ORIGINS),
  },
  {
    variable: "APP_DOMAIN",
    problem:
      "lets previews set cookies for the service: it shares the registered domain with PUBLIC_URL or APP_BASE_URL. Take a domain of its own for previews, or say PREVIEWS_SHARE_DOMAIN=true",
    broken: (env) =>
      env.ENVIRONMENT === "production" && env.PREVIEWS_SHARE_DOMAIN !== true && previewsShareDomain(env),
  },
  {
    variable: "CORS_ORIGINS",
    problem:
      "must be https:// origins in production: an attacker on the network can replace a page loaded over http",
    broken: (env) => env.ENVIRONMENT === "production" && trustedOrigins(env).some(isPlainHttp),
  },
  {
    variable: "CORS_ORIGINS",
    problem: "names the host of a preview, whose pages users built: they never act for their visitor",
    broken: (env) => trustedOrigins(env).some((each) => isPreviewOrigin(each, env.APP_DOMAIN)),
  },
  {
    variable: "PASSWORD_HASH_COST",
    problem: "must be 10 or more in production",
    broken: (env) => env.ENVIRONMENT === "production" && (env.PASSWORD_HASH_COST ?? 10) < 10,
  },
  {
    variable: "TWO_FA_HASH_KIB",
    problem: "must be 19456 or more in production",
    broken: (env) => env.ENVIRONMENT === "production" && (env.TWO_FA_HASH_KIB ?? 19_456) < 19_456,
  },
  ...(["QSTASH_TOKEN", "QSTASH_CURRENT_SIGNING_KEY", "QSTASH_NEXT_SIGNING_KEY"] as const).map(
    (variable): Rule => ({
      variable,
      problem: "is the public one of QStash's development server: take those of the QStash console",
      broken: (env) => env.ENVIRONMENT === "production" && isPublicQueueCredential(env[variable]),
    }),
  ),
  {
    variable: "QSTASH_DEV",
    problem: "is for development only: it stands for the public keys of QStash's development server",
    broken: (env) => env.ENVIRONMENT === "production" && Boolean(env.QSTASH_DEV),
  },
];

/** Adds the rules to a schema of the variables. They run even if single variables are invalid. */
export function withRules<T extends z.ZodType<Partial<Variables>>>(schema: T): T {
  return RULES.reduce(
    (ruled, { variable, problem, broken }) =>
      ruled.refine((env) => !broken(env), { path: [variable], error: problem, when: () => true }),
    schema,
  );
}

/**
 * Token and signing keys of QStash's development server, which are the same everywhere.
 * Source: upstash/qstash-js, src/dev-server/constants.ts.
 */
const PUBLIC_CREDENTIALS: ReadonlySet<string> = new Set([
  "eyJVc2VySUQiOiJkZWZhdWx0VXNlciIsIlBhc3N3b3JkIjoiZGVmYXVsdFBhc3N3b3JkIn0=",
  "sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r",
  "sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs",
]);

/**
 * Whether this is a public token or key, which QStash publishes for development and a stranger could use to sign or
 * publish.
 */
function isPublicQueueCredential(credential: string | undefined): boolean {
  return credential !== undefined && PUBLIC_CREDENTIALS.has(credential.trim());
}
