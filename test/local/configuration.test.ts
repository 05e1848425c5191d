import { describe, expect, it } from "vitest";
import { Variables } from "#src/configuration/index.ts";
import { agentLimits } from "#src/domain/agent-work/tasks/agent-limits.ts";
import { readConfiguration } from "#local/configuration.ts";
import { StartError } from "#local/start-error.ts";

function linesOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfiguration(environment);
  } catch (error) {
    if (error instanceof StartError) return error.lines;
    throw error;
  }
  return [];
}

describe("the configuration of npm start", () => {
  it("needs nothing", () => {
    expect(readConfiguration({})).toMatchObject({
      host: "127.0.0.1",
      port: 8787,
      development: true,
      database: { kind: "embedded" },
      redis: { kind: "embedded" },
      queue: "embedded",
      mail: "caught",
      variables: { ENVIRONMENT: "development", DEFAULT_MODEL: "demo" },
    });
  });

  it.each([
    ["STRIPE_CONNECT_CLIENT_ID", "ca_test"],
    ["MAGIC_LINK_CODE_LENGTH", "6"],
  ])("names %s, which is documented and not served, and takes it empty", (name, value) => {
    expect(linesOf({ [name]: value })).toEqual([`${name}: is not served by this version: leave it out`]);
    expect(linesOf({ [name]: "" })).toEqual([]);
  });

  it("runs the stand-in for hosting providers outside production, unless it is switched off", () => {
    expect(readConfiguration({}).hosting).toBe("standin");
    expect(readConfiguration({ HOSTING_STANDIN: "true" }).hosting).toBe("standin");
    expect(readConfiguration({ HOSTING_STANDIN: "false" }).hosting).toBe("none");
    const production = { ENVIRONMENT: "production", HOSTING_STANDIN: "true" };
    expect(linesOf(production)).toContain("HOSTING_STANDIN: is for `npm start` outside production");
  });

  it("reads domains of addresses as lists, and refuses what is none", () => {
    expect(Variables.shape.ALLOWED_EMAIL_DOMAINS.parse(" Example.com, b.test")).toEqual([
      "example.com",
      "b.test",
    ]);
    expect(linesOf({ BLOCKED_EMAIL_DOMAINS: "@example.com" })).toEqual([
      "BLOCKED_EMAIL_DOMAINS: must be domain names such as example.com, separated by commas",
    ]);
  });

  it("limits agents unless both rates are switched off", () => {
    const off = { USER_RATE_PER_MINUTE: 0, CHAT_RATE_PER_MINUTE: 0 };
    expect(Object.values(agentLimits(off))).toEqual([0, 0, 0]);
    expect(Object.values(agentLimits({ ...off, USER_RATE_PER_MINUTE: 1 }))).not.toContain(0);
  });

  it("reports every bad variable at once, a line each", () => {
    const lines = linesOf({
      PORT: "http",
      REDIS_URL: "localhost",
      DATABASE_URL: "mysql://localhost",
      USER_RATE_PER_MINUTE: "many",
      QSTASH_TOKEN: "token",
    });
    expect(lines.map((line) => line.split(":")[0])).toEqual([
      "PORT",
      "QSTASH_URL",
      "QSTASH_CURRENT_SIGNING_KEY",
      "QSTASH_NEXT_SIGNING_KEY",
      "DATABASE_URL",
      "REDIS_URL",
      "USER_RATE_PER_MINUTE",
    ]);
  });

  it.each([
    ["PORT", { PORT: "65536" }],
    ["SECRET_KEY", { SECRET_KEY: "short" }],
    ["REDIS_TOKEN", { REDIS_URL: "https://example.upstash.io" }],
    ["DEFAULT_MODEL", { OPENAI_API_KEY: "key" }],
    ["ANTHROPIC_API_KEY", { OPENAI_API_KEY: "key", DEFAULT_MODEL: "claude-fable-4" }],
    [
      "ANTHROPIC_API_KEY",
      { OPENAI_API_KEY: "key", DEFAULT_MODEL: "gpt-5", PLATFORM_MODELS: "gpt-5, builtin/claude-fable-4" },
    ],
    ["OPENAI_API_KEY", { PLATFORM_MODELS: "gpt-5" }],
    ["SMTP_HOST", { SMTP_HOST: "smtp://mail.test", SMTP_SENDER_EMAIL: "a@mail.test" }],
    ["SMTP_SENDER_EMAIL", { SMTP_HOST: "mail.test", SMTP_SENDER_EMAIL: "a@mail.test\r\nBcc: b@mail.test" }],
    ["SMTP_PASSWORD", { SMTP_HOST: "mail.test", SMTP_SENDER_EMAIL: "a@mail.test", SMTP_USERNAME: "a" }],
    ["GITHUB_CLIENT_SECRET", { GITHUB_CLIENT_ID: "id" }],
    ["GOOGLE_CLIENT_ID", { GOOGLE_CLIENT_SECRET: "secret" }],
    ["GITHUB_OAUTH_REDIRECT_URI", { GITHUB_OAUTH_REDIRECT_URI: "/api/auth/github/callback" }],
    ["BYOK_ENABLED_TIERS", { BYOK_ENABLED_TIERS: "pro,gold" }],
    ["WEB_SEARCH_PROVIDER", { WEB_SEARCH_PROVIDER: "altavista" }],
  ])("names %s alone when it alone is wrong: %o", (name, environment: Record<string, string>) => {
    expect(linesOf(environment)).toEqual([expect.stringMatching(new RegExp(`^${name}: `, "u"))]);
  });

  it.each([
    ["SMTP_HOST", { SMTP_SENDER_EMAIL: "a@mail.test" }],
    ["TWO_FA_ENABLED", { TWO_FA_ENABLED: "true" }],
  ])("catches no mail in production, so %s is missing or in vain: %o", (name, environment) => {
    const production = { ENVIRONMENT: "production", OPENAI_API_KEY: "key", DEFAULT_MODEL: "gpt" };
    const names = (variables: Record<string, string>) =>
      linesOf({ ...production, ...variables }).map((line) => line.split(":")[0]);
    expect(names(environment)).toContain(name);
    expect(names({ ...environment, SMTP_HOST: "mail.test", SMTP_SENDER_EMAIL: "a@mail.test" })).toEqual(
      names({}),
    );
  });

  it.each([
    [{ TWO_FA_ENABLED: "true" }, "caught"],
    [{ SMTP_SENDER_EMAIL: "a@mail.test" }, "caught"],
    [{ SMTP_HOST: "mail.test", SMTP_SENDER_EMAIL: "a@mail.test", TWO_FA_ENABLED: "true" }, "smtp"],
  ])("with %o, mail is %s", (environment: Record<string, string>, mail) => {
    expect(readConfiguration(environment).mail).toBe(mail);
  });

  it.each([
    ["postgres://user@localhost/db", "bridge"],
    ["postgresql://user:word@ep-cool-1.eu-central-1.aws.neon.tech/db", "neon"],
  ])("reaches %s as %s", (url, kind) => {
    expect(readConfiguration({ DATABASE_URL: url }).database).toEqual({ kind, url });
  });

  it.each([
    [{ REDIS_URL: "redis://localhost:6379" }, { kind: "bridge", url: "redis://localhost:6379" }],
    [{ REDIS_URL: "https://x.upstash.io", REDIS_TOKEN: "token" }, { kind: "rest" }],
    [{ REDIS_URL: "rediss://default:token@x.upstash.io" }, { kind: "rest" }],
    [{ REDIS_URL: "off" }, { kind: "rest" }],
  ])("takes %o", (environment: Record<string, string>, redis) => {
    expect(readConfiguration(environment).redis).toEqual(redis);
  });

  it("gives the Worker its own variables and no other of the machine", () => {
    const { variables } = readConfiguration({ HOME: "/home/me", TASK_STALL_SECONDS: "3", APP_DOMAIN: "" });
    expect(variables).toEqual({
      ENVIRONMENT: "development",
      DEFAULT_MODEL: "demo",
      TASK_STALL_SECONDS: "3",
    });
  });
});
