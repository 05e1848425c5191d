import { describe, expect, it } from "vitest";
import { readConfiguration } from "#local/configuration.ts";
import { StartError } from "#local/start-error.ts";
import { checkEnv } from "#src/env.ts";
import { BINDINGS, PRODUCTION, UNSAFE, type Environment } from "./support/unsafe-settings.ts";

/** What a deployed Worker says. */
function workerRefusals(environment: Environment): string[] {
  const checked = checkEnv({ ...BINDINGS, ...environment });
  return checked.ok ? [] : checked.problems.map(({ variable, problem }) => `${variable}: ${problem}`);
}

/** The lines of `npm start`. */
function startRefusals(environment: Environment): readonly string[] {
  try {
    readConfiguration(environment);
    return [];
  } catch (error) {
    if (error instanceof StartError) return error.lines;
    throw error;
  }
}

const SAFE: readonly Environment[] = [
  {},
  { APP_DOMAIN: "workspace-previews.example" },
  { APP_DOMAIN: "me-previews.workers.dev", PUBLIC_URL: "https://api.me.workers.dev" },
  { APP_DOMAIN: "b.co.uk", PUBLIC_URL: "https://a.co.uk" },
  { APP_DOMAIN: "workspace.example", PREVIEWS_SHARE_DOMAIN: "true" },
  // On one's own machine, and in a network of one's own.
  { PUBLIC_URL: "http://127.0.0.1:8787" },
  { PUBLIC_URL: "http://10.0.0.5", COOKIE_SECURE: "false" },
  { CORS_ORIGINS: "https://console.example, https://admin.console.example:8443" },
  // A Fernet key, and 32 characters.
  { ENCRYPTION_KEY: "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=" },
  { DEPLOYMENT_ENCRYPTION_KEY: "thirty-two characters are enough" },
  { ADMIN_EMAIL: "ops@workspace.example, second@workspace.example" },
];

/** What `npm start` has on its own machine. */
const OF_THIS_MACHINE = new Set(["PUBLIC_URL", "DATABASE_URL", "REDIS_URL"]);

describe("a start in production", () => {
  it.each(SAFE)("takes %o", (environment) => {
    const whole = { ...PRODUCTION, ...environment };
    expect([workerRefusals(whole), startRefusals(whole)]).toEqual([[], []]);
  });

  it.each(UNSAFE)("refuses and names %s alone when it alone is unsafe: %o", (name, unsafe) => {
    const said = workerRefusals({ ...PRODUCTION, ...unsafe });
    expect(said).toEqual([expect.stringMatching(new RegExp(`^${name}: .{10,}`, "u"))]);
    expect(startRefusals({ ...PRODUCTION, ...unsafe })).toEqual(said);
    // Where nothing is said of it, it is production.
    expect(workerRefusals({ ...PRODUCTION, ENVIRONMENT: "", ...unsafe })).toEqual(said);
  });

  it.each(["PUBLIC_URL", "SECRET_KEY", "DATABASE_URL", "REDIS_URL", "QSTASH_TOKEN", "DEFAULT_MODEL"])(
    "makes up nothing that a deployment has to say: %s",
    (name) => {
      const incomplete = { ...PRODUCTION, [name]: "" };
      const refusal = expect.stringMatching(new RegExp(`^${name}: `, "u"));
      expect(workerRefusals(incomplete)).toEqual([refusal]);
      const isNamed = startRefusals(incomplete).some((line) => line.startsWith(`${name}: `));
      expect(isNamed).toBe(!OF_THIS_MACHINE.has(name));
    },
  );
});
