import { generateKeyPairSync } from "node:crypto";
import jsonwebtoken from "jsonwebtoken";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createOAuthProviders } from "#src/platform/oauth/index.ts";
import { newGitHubPerson, startGitHub } from "#test/support/github-provider.ts";
import { asItIs, newGooglePerson, startGoogle } from "#test/support/google-provider.ts";
import { agree, FAULTS, REGISTERED, type Fault } from "#test/support/oauth-provider.ts";

const google = await startGoogle(newGooglePerson("ada@example.com"));
const github = await startGitHub(newGitHubPerson("ada@example.com"));
beforeEach(() => {
  for (const provider of [google, github]) {
    provider.heal();
    provider.requests.length = 0;
  }
  Object.assign(google, { person: newGooglePerson("ada@example.com"), claims: {}, replace: asItIs });
  github.person = newGitHubPerson("ada@example.com");
});
afterAll(() => Promise.all([google.close(), github.close()]));

const FLOW = { state: "state", verifier: "v".repeat(64), nonce: "n".repeat(64) };
const redirectUri = "https://service.test/api/auth/google/callback";

/** The providers as a service knows them that has just started. */
function fresh({
  production = false,
  issuer = google.url,
  clientSecret = REGISTERED.clientSecret,
  timeoutMs = 60_000,
} = {}) {
  const providers = createOAuthProviders({
    google: { ...REGISTERED, redirectUri, issuer },
    github: {
      clientId: REGISTERED.clientId,
      clientSecret: clientSecret || undefined,
      redirectUri,
      baseUrl: github.url,
      apiBaseUrl: `${github.url}/api/v3`,
    },
    timeoutMs,
    production,
  });
  if (!providers.google) throw new Error("Google is configured");
  return { ...providers, google: providers.google };
}

const NAMES = ["github", "google"] as const;
type Name = (typeof NAMES)[number];
function providerOf(name: Name, timeoutMs?: number) {
  const provider = fresh(timeoutMs === undefined ? {} : { timeoutMs })[name];
  if (!provider) throw new Error(`${name} is configured`);
  return provider;
}

const comesBack = async (provider = fresh().google) =>
  (await agree(await provider.authorizationUrl(FLOW))).searchParams;

/** Through the provider's page and back. */
async function identify(name: Name, change: (back: URLSearchParams) => void = () => {}, flow = FLOW) {
  const provider = providerOf(name);
  const back = await comesBack(provider);
  change(back);
  return provider.identify(back, flow);
}

/** The kind of error that a promise ends with, and what it has to it besides. */
async function failureOf(promise: Promise<unknown>) {
  const error = await promise.catch((reason: unknown) => reason);
  return error instanceof Error ? { name: error.name, cause: error.cause } : error;
}
const FAILURE = { name: "OAuthFailure", cause: undefined };

/** Only who never answers is waited for. */
const patienceFor = (fault: Fault) => (fault === "never answers" ? 200 : 60_000);

describe.each(NAMES)("%s", (name) => {
  it("tells who came", async () => {
    const { sub, name: known, picture } = google.person;
    const { id, avatar_url } = github.person;
    const told = {
      google: { accountId: sub, name: known, avatarUrl: picture },
      github: { accountId: String(id), name: "Octo Cat", avatarUrl: avatar_url },
    };
    expect(await identify(name)).toEqual({ ...told[name], email: "ada@example.com" });
  });

  it.each([
    ["says so", { error: "access_denied", code: undefined }],
    ["says so, code or not", { error: "<script>alert(1)</script>" }],
    ["gives no code", { code: undefined }],
    ["has another name", { iss: "https://elsewhere.example" }],
    ["gives a token instead", { token: "x", code: undefined }],
    ["gives two codes", { code: ["one", "two"] }],
  ])("that does not let the person in and %s is asked nothing more", async (_, changes) => {
    const spoil = (back: URLSearchParams) => {
      for (const [field, value] of Object.entries(changes)) {
        back.delete(field);
        for (const each of [value].flat()) if (each !== undefined) back.append(field, each);
      }
    };
    expect(await failureOf(identify(name, spoil))).toEqual(FAILURE);
    expect(providers[name]().requests.filter((request) => request.startsWith("POST"))).toEqual([]);
  });

  it("takes a code once, and only with the verifier of the challenge that came before it", async () => {
    const provider = providerOf(name);
    const back = await comesBack(provider);
    expect(await provider.identify(back, FLOW)).toBeDefined();
    expect(await failureOf(provider.identify(back, FLOW))).toEqual(FAILURE);
    const other = { ...FLOW, verifier: "w".repeat(64) };
    expect(await failureOf(identify(name, undefined, other))).toEqual(FAILURE);
  });
});
const providers = { google: () => google, github: () => github };

describe("an address", () => {
  it.each([
    ["is not verified", [{ email: "a@example.com", verified: false, primary: true }]],
    ["is not the primary one", [{ email: "a@example.com", verified: true, primary: false }]],
  ])("that GitHub says %s is not taken", async (_, emails) => {
    github.person = newGitHubPerson("a@example.com", { emails });
    expect(await identify("github")).not.toHaveProperty("email");
  });

  it.each([{ email_verified: false }, { email_verified: "true" }, { email: undefined }])(
    "that Google does not vouch for is not taken: %o",
    async (change) => {
      google.person = Object.assign(newGooglePerson("a@example.com"), change);
      expect(await identify("google")).not.toHaveProperty("email");
    },
  );
});

const strangersKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
type Sign = (claims: object, keyid: string) => string;
const SIGNATURES: [signer: string, sign: Sign][] = [
  ["another key", (claims, keyid) => jsonwebtoken.sign(claims, strangersKey, { algorithm: "RS256", keyid })],
  [
    "the secret of the client",
    (claims) => jsonwebtoken.sign(claims, REGISTERED.clientSecret, { algorithm: "HS256" }),
  ],
  ["nothing", (claims) => jsonwebtoken.sign(claims, "", { algorithm: "none" })],
];

describe("an ID token", () => {
  it.each(SIGNATURES)("is refused when it is signed with %s", async (_, sign) => {
    google.replace = (idToken) => {
      const { header, payload } = jsonwebtoken.decode(idToken, { complete: true }) ?? {};
      return sign(payload instanceof Object ? payload : {}, header?.kid ?? "");
    };
    expect(await failureOf(identify("google"))).toMatchObject({ name: "OAuthFailure" });
  });

  it.each([
    ["another nonce", { nonce: "another" }],
    ["another audience", { aud: "somebody-else" }],
    ["a second audience and no party", { aud: [REGISTERED.clientId, "somebody-else"] }],
    ["another issuer", { iss: "https://accounts.google.com.example" }],
    ["an end in the past", { exp: Math.floor(Date.now() / 1000) - 600 }],
    ["no end", { exp: undefined }],
    ["a subject that is none", { sub: "" }],
  ])("is refused when it has %s", async (_, claims) => {
    google.claims = claims;
    expect(await failureOf(identify("google"))).toMatchObject({ name: "OAuthFailure" });
  });

  it.each([
    ["missing", () => undefined],
    ["cut", (idToken: string) => idToken.slice(0, -1)],
  ])("is refused when it is %s", async (_, replace) => {
    google.replace = replace;
    expect(await failureOf(identify("google"))).toMatchObject({ name: "OAuthFailure" });
  });

  it("may name its issuer without the scheme, as Google's may", async () => {
    google.claims = { iss: google.url.replace("http://", "") };
    expect(await identify("google")).toMatchObject({ email: "ada@example.com" });
  });
});

describe("a provider that fails", () => {
  it.each<[Name, RegExp]>([
    ["github", /access_token$/u],
    ["github", /user$/u],
    ["github", /emails$/u],
    ["google", /token$/u],
    ["google", /jwks/u],
    ["google", /openid-configuration/u],
  ])(
    "tells nobody who came, however it fails, and does when it is well again: %s at %s",
    async (name, path) => {
      for (const fault of FAULTS) {
        const back = await comesBack(providerOf(name));
        const server = providers[name]();
        server.fail(path, fault);
        const asking = providerOf(name, patienceFor(fault)).identify(back, FLOW);
        expect(await failureOf(asking)).toEqual(FAILURE);
        expect(server.requests.join("\n")).not.toContain("/elsewhere");
        server.heal();
      }
      await expect(identify(name)).resolves.toBeDefined();
    },
  );

  it("begins no sign-in without its endpoints, or under another name than the configured one", async () => {
    for (const fault of FAULTS) {
      google.fail(/openid-configuration/u, fault);
      const { google: provider } = fresh({ timeoutMs: patienceFor(fault) });
      expect(await failureOf(provider.authorizationUrl(FLOW))).toEqual(FAILURE);
      google.heal();
    }
    await expect(fresh().google.authorizationUrl(FLOW)).resolves.toContain(google.url);
    const issuer = google.url.replace("127.0.0.1", "localhost");
    expect(await failureOf(fresh({ issuer }).google.authorizationUrl(FLOW))).toEqual(FAILURE);
  });

  it("says nothing of a code, a token or a secret", async () => {
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
  it("are asked for their endpoints and their keys once", async () => {
    const { google: provider } = fresh();
    for (let visit = 0; visit < 3; visit += 1) await provider.identify(await comesBack(provider), FLOW);
    const once = google.requests.filter((request) => /jwks|openid-configuration/u.test(request));
    expect(once).toEqual(["GET /.well-known/openid-configuration", "GET /jwks"]);
  });

  it("are not asked over plain http in production", async () => {
    expect(await failureOf(fresh({ production: true }).google.authorizationUrl(FLOW))).toEqual(FAILURE);
    expect(google.requests).toEqual([]);
  });

  it("without all of their credentials are disabled", () => {
    expect(fresh({ clientSecret: "" }).github).toBeUndefined();
  });
});
