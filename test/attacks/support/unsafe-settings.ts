export type Environment = Readonly<Record<string, string>>;

/** What a deployment needs, and nothing unsafe. */
export const PRODUCTION: Environment = {
  ENVIRONMENT: "production",
  PUBLIC_URL: "https://workspace.example",
  SECRET_KEY: "0f3a9c1e5b7d2846a1c3e5f7092b4d6e",
  DATABASE_URL: "postgres://user:word@ep-cool-1.eu-central-1.aws.neon.tech/db",
  REDIS_URL: "off",
  QSTASH_URL: "https://qstash.upstash.io",
  QSTASH_TOKEN: "a token of one's own",
  QSTASH_CURRENT_SIGNING_KEY: "sig_one_of_ones_own",
  QSTASH_NEXT_SIGNING_KEY: "sig_another_of_ones_own",
  DEFAULT_MODEL: "gpt-5",
  OPENAI_API_KEY: "sk-a-key-of-ones-own",
};

/** Of wrangler.toml; a check of variables asks only that they are there. */
export const BINDINGS = {
  TASK_LOG: {},
  PROJECT_WORKSPACE: {},
  PROJECT_SOCKETS: {},
  RATE_LIMITER: {},
  TERMINALS: {},
  CHANNEL_CONNECTION: {},
  GATEWAY_SHARDS: {},
  PROJECT_FILES: {},
  PROJECT_ARCHIVES: {},
  ASSETS: {},
};

const MAIL = { SMTP_HOST: "mail.example", SMTP_SENDER_EMAIL: "no-reply@workspace.example" };
const QSTASH_PUBLIC_TOKEN = "eyJVc2VySUQiOiJkZWZhdWx0VXNlciIsIlBhc3N3b3JkIjoiZGVmYXVsdFBhc3N3b3JkIn0=";
const QSTASH_PUBLIC_KEYS = ["sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r", "sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs"];

/** Where secrets of the service, or of its users, are sent. */
const PROVIDERS = [
  "GITHUB_OAUTH_BASE_URL",
  "GITHUB_API_BASE_URL",
  "GOOGLE_OAUTH_ISSUER",
  "GITLAB_API_BASE_URL",
  "BITBUCKET_OAUTH_BASE_URL",
  "BITBUCKET_API_BASE_URL",
  "TAVILY_API_BASE",
  "BRAVE_API_BASE",
  "AGENT_DISCORD_WEBHOOK_URL",
  "OPENROUTER_API_BASE",
  "NANO_GPT_API_BASE",
  "OPENAI_API_BASE",
  "ANTHROPIC_API_BASE",
  "GROQ_API_BASE",
  "TOGETHER_API_BASE",
  "DEEPSEEK_API_BASE",
  "FIREWORKS_API_BASE",
  "Z_AI_API_BASE",
  "GOOGLE_API_BASE",
  "TELEGRAM_API_BASE_URL",
];

/** Each unsafe setting, beside what makes it one. */
export const UNSAFE: readonly (readonly [string, Environment])[] = [
  ["SECRET_KEY", { SECRET_KEY: "short" }],
  ["CSRF_SECRET_KEY", { CSRF_SECRET_KEY: "short" }],
  ["ENCRYPTION_KEY", { ENCRYPTION_KEY: "thirty-one characters are short" }],
  ["DEPLOYMENT_ENCRYPTION_KEY", { DEPLOYMENT_ENCRYPTION_KEY: "letmein" }],
  ["CHANNEL_ENCRYPTION_KEY", { CHANNEL_ENCRYPTION_KEY: "not a Fernet key" }],
  ["PASSWORD_HASH_COST", { PASSWORD_HASH_COST: "9" }],
  ["TWO_FA_HASH_KIB", { TWO_FA_HASH_KIB: "19455" }],
  ["ADMIN_EMAIL", { ADMIN_EMAIL: "ops" }],
  ["ADMIN_EMAIL", { ADMIN_EMAIL: "ops@workspace.example; *" }],
  ["MAX_TEAMS_PER_USER", { MAX_TEAMS_PER_USER: "-1" }],
  ["SIGNUP_BONUS_CREDITS", { SIGNUP_BONUS_CREDITS: "all" }],
  ["PUBLIC_URL", { PUBLIC_URL: "http://workspace.example" }],
  ["APP_BASE_URL", { APP_BASE_URL: "http://console.workspace.example" }],
  ["COOKIE_SECURE", { COOKIE_SECURE: "false" }],
  ["COOKIE_SAMESITE", { PUBLIC_URL: "http://10.0.0.5", COOKIE_SECURE: "false", COOKIE_SAMESITE: "none" }],
  ["CORS_ORIGINS", { CORS_ORIGINS: "*" }],
  ["CORS_ORIGINS", { CORS_ORIGINS: "null" }],
  ["CORS_ORIGINS", { CORS_ORIGINS: "https://a.example,http://b.example" }],
  ["CORS_ORIGINS", { CORS_ORIGINS: "https://a.example/path" }],
  ["CORS_ORIGINS", { APP_DOMAIN: "previews.example", CORS_ORIGINS: "https://app-1--web.previews.example" }],
  ["APP_DOMAIN", { APP_DOMAIN: "workspace.example" }],
  ["APP_DOMAIN", { APP_DOMAIN: "Previews.Workspace.example" }],
  ["APP_DOMAIN", { PUBLIC_URL: "https://api.a.co.uk", APP_DOMAIN: "previews.a.co.uk" }],
  ["APP_DOMAIN", { PUBLIC_URL: "https://api.me.workers.dev", APP_DOMAIN: "me.workers.dev" }],
  ["APP_DOMAIN", { APP_BASE_URL: "https://console.example", APP_DOMAIN: "a.console.example" }],
  [
    "APP_DOMAIN",
    {
      PUBLIC_URL: "https://app.workspace.example",
      APP_DOMAIN: "workspace.example",
      PREVIEWS_SHARE_DOMAIN: "false",
    },
  ],
  ["OUTBOUND_ALLOWED_ORIGINS", { OUTBOUND_ALLOWED_ORIGINS: "http://127.0.0.1:9000" }],
  ["QSTASH_TOKEN", { QSTASH_TOKEN: QSTASH_PUBLIC_TOKEN }],
  ...QSTASH_PUBLIC_KEYS.map(
    (key) => ["QSTASH_CURRENT_SIGNING_KEY", { QSTASH_CURRENT_SIGNING_KEY: key }] as const,
  ),
  ...QSTASH_PUBLIC_KEYS.map((key) => ["QSTASH_NEXT_SIGNING_KEY", { QSTASH_NEXT_SIGNING_KEY: key }] as const),
  ["QSTASH_DEV", { QSTASH_DEV: "true" }],
  ["DEFAULT_MODEL", { DEFAULT_MODEL: "demo" }],
  ["DEMO_MODEL_URL", { PLATFORM_MODELS: "demo" }],
  ["CHAT_PLATFORM_URL", { CHAT_PLATFORM_URL: "https://chats.example" }],
  ["TWO_FA_ENABLED", { TWO_FA_ENABLED: "true" }],
  ["REGISTRATION_REVEALS_ACCOUNTS", { REGISTRATION_REVEALS_ACCOUNTS: "false" }],
  ["SMTP_PASSWORD", { ...MAIL, SMTP_USERNAME: "service" }],
  ...PROVIDERS.map((name) => [name, { [name]: "http://provider.example" }] as const),
];
