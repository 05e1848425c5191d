import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createOAuthProviders } from "#src/platform/oauth/index.ts";
import { newGooglePerson, startGoogle, type Google } from "#test/support/google-provider.ts";
import { agree, FAULTS, REGISTERED } from "#test/support/oauth-provider.ts";

let google: Google;
beforeAll(async () => {
  google = await startGoogle(newGooglePerson("ada@example.com"));
});
beforeEach(() => {
  google.heal();
  google.requests.length = 0;
});
afterAll(() => google.close());

const FLOW = { state: "state", verifier: "v".repeat(64), nonce: "n".repeat(64) };
const redirectUri = "https://service.test/api/auth/google/callback";

/** Google as a service knows it that has just started. */
function fresh({ production = false, issuer = google.url } = {}) {
  const providers = createOAuthProviders({
    google: { ...REGISTERED, redirectUri, issuer },
    github: {
      clientId: REGISTERED.clientId,
      clientSecret: undefined,
      redirectUri,
      baseUrl: "https://github.com",
      apiBaseUrl: "https://api.github.com",
    },
    timeoutMs: 500,
    production,
  });
  if (!providers.google) throw new Error("Google is configured");
  return { ...providers, google: providers.google };
}

const comesBack = async (provider = fresh().google) =>
  (await agree(await provider.authorizationUrl(FLOW))).searchParams;

/** The kind of error that a promise ends with, and what it has to it besides. */
async function failureOf(promise: Promise<unknown>) {
  const error = await promise.catch((reason: unknown) => reason);
  return error instanceof Error ? { name: error.name, cause: error.cause } : error;
}
const FAILURE = { name: "OAuthFailure", cause: undefined };

describe("Google", () => {
  it("tells who came", async () => {
    const { google: provider } = fresh();
    const { sub: accountId, email, name, picture: avatarUrl } = google.person;
    const told = { accountId, email, name, avatarUrl };
    expect(await provider.identify(await comesBack(provider), FLOW)).toEqual(told);
  });

  it("is asked for its endpoints and its keys once", async () => {
    const { google: provider } = fresh();
    for (let visit = 0; visit < 3; visit += 1) await provider.identify(await comesBack(provider), FLOW);
    const once = google.requests.filter((request) => /jwks|openid-configuration/u.test(request));
    expect(once).toEqual(["GET /.well-known/openid-configuration", "GET /jwks"]);
  });

  it.each(FAULTS)("is a failure without its endpoints: %s", async (fault) => {
    google.fail(/openid-configuration/u, fault);
    const { google: provider } = fresh();
    expect(await failureOf(provider.authorizationUrl(FLOW))).toEqual(FAILURE);
    google.heal();
    await expect(provider.authorizationUrl(FLOW)).resolves.toContain(google.url);
  });

  it.each(FAULTS)("is a failure without its keys: %s", async (fault) => {
    const callback = await comesBack();
    google.fail(/jwks/u, fault);
    const { google: provider } = fresh();
    expect(await failureOf(provider.identify(callback, FLOW))).toEqual(FAILURE);
    google.heal();
    await expect(provider.identify(await comesBack(provider), FLOW)).resolves.toBeDefined();
  });

  it("is a failure when it has another name than the configured one", async () => {
    const issuer = google.url.replace("127.0.0.1", "localhost");
    expect(await failureOf(fresh({ issuer }).google.authorizationUrl(FLOW))).toEqual(FAILURE);
  });

  it("says nothing of a code, a token or a secret when it fails", async () => {
    const callback = await comesBack();
    const { google: provider } = fresh();
    await provider.identify(callback, FLOW);
    const spent = await provider.identify(callback, FLOW).catch(String);
    google.fail(/token/u, "answers garbage");
    const garbage = await provider.identify(await comesBack(provider), FLOW).catch(String);
    expect(spent).toMatch(/^OAuthFailure: Google's ID token: .*\(invalid_request\)$/u);
    expect(garbage).toMatch(/^OAuthFailure: Google's ID token: failed to parse/u);
    const secrets = [...google.secrets, REGISTERED.clientSecret, ...Object.values(FLOW).slice(1)];
    expect(secrets.filter((secret) => JSON.stringify([spent, garbage]).includes(secret))).toEqual([]);
  });
});

describe("providers", () => {
  it("are not asked over plain http in production", async () => {
    expect(await failureOf(fresh({ production: true }).google.authorizationUrl(FLOW))).toEqual(FAILURE);
    expect(google.requests).toEqual([]);
  });

  it("without all of their credentials are disabled", () => {
    expect(fresh().github).toBeUndefined();
  });
});
