import { generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import jsonwebtoken from "jsonwebtoken";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { browser } from "#test/support/browser.ts";
import { asItIs } from "#test/support/google-provider.ts";
import { FAULTS, REGISTERED } from "#test/support/oauth-provider.ts";
import {
  comeBack,
  FAILED,
  PROVIDERS,
  SIGNED_IN,
  startOAuthService,
  type ProviderName,
} from "#test/support/oauth-service.ts";
import { sharedService } from "#test/support/shared-service.ts";

const oauth = await startOAuthService();
afterAll(() => oauth.close());
const { service, github, google, begin, goTo, signIn, meet } = oauth;

let last = 0;
beforeEach(() => {
  last += 1;
  for (const name of PROVIDERS) meet(name, `somebody${last}@example.com`);
});
afterEach(() => {
  google.claims = {};
  google.replace = asItIs;
  for (const name of PROVIDERS) oauth.providers[name].heal();
});

it("says that a provider does not answer, before anything is known of it", async () => {
  for (const fault of ["answers garbage", "never answers"] as const) {
    google.fail(/openid-configuration/u, fault);
    const { status, body, headers } = await begin("google", browser(service));
    expect([status, body]).toEqual([503, { detail: "Google does not answer: try again later" }]);
    expect(headers.getSetCookie()).toEqual([]);
  }
  google.heal();
  expect(await signIn("google")).toMatchObject({ location: SIGNED_IN });
});

const strangersKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

type Sign = (claims: object, keyid: string) => string;

const SIGNATURES: [signer: string, sign: Sign][] = [
  ["another key", (claims, keyid) => jsonwebtoken.sign(claims, strangersKey, { algorithm: "RS256", keyid })],
  [
    "an unknown key",
    (claims) => jsonwebtoken.sign(claims, strangersKey, { algorithm: "RS256", keyid: "new" }),
  ],
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
      return sign(Object(payload), header?.kid ?? "");
    };
    expect(await comeBack(await goTo("google"))).toEqual(FAILED);
  });

  it.each([
    ["another nonce", { nonce: "another" }],
    ["no nonce", { nonce: undefined }],
    ["another audience", { aud: "somebody-else" }],
    ["a second audience and no party", { aud: [REGISTERED.clientId, "somebody-else"] }],
    ["another party", { aud: [REGISTERED.clientId, "other"], azp: "other" }],
    ["another issuer", { iss: "https://accounts.google.com.example" }],
    ["no issuer", { iss: undefined }],
    ["an end in the past", { exp: Math.floor(Date.now() / 1000) - 600 }],
    ["no end", { exp: undefined }],
    ["no subject", { sub: undefined }],
    ["a subject that is none", { sub: "" }],
  ])("is refused when it has %s", async (_, claims) => {
    google.claims = claims;
    expect(await comeBack(await goTo("google"))).toEqual(FAILED);
  });

  it.each([
    ["missing", () => undefined],
    ["garbage", () => "garbage"],
    ["cut", (idToken: string) => idToken.slice(0, -1)],
  ])("is refused when it is %s", async (_, replace) => {
    google.replace = replace;
    expect(await comeBack(await goTo("google"))).toEqual(FAILED);
  });

  it("may name its issuer without the scheme, as Google's may", async () => {
    google.claims = { iss: google.url.replace("http://", "") };
    expect(await signIn("google")).toMatchObject({ location: SIGNED_IN });
  });
});

const PLACES: [ProviderName, RegExp][] = [
  ["github", /access_token$/u],
  ["github", /user$/u],
  ["github", /emails$/u],
  ["google", /token$/u],
];
const failures = PLACES.flatMap(([name, path]) => FAULTS.map((fault) => ({ name, path, fault })));

describe("a provider that fails", () => {
  it.each(failures)("leads back to the login page: $name $fault at $path", async ({ name, path, fault }) => {
    const about = await goTo(name);
    oauth.providers[name].fail(path, fault);
    expect(await comeBack(about)).toEqual(FAILED);
    expect(oauth.providers[name].requests.join("\n")).not.toContain("/elsewhere");
    oauth.providers[name].heal();
    expect(await signIn(name)).toMatchObject({ location: SIGNED_IN });
  });

  it("leads there when it does not know the code", async () => {
    const about = await goTo("github");
    about.back.searchParams.set("code", "unknown");
    expect(await comeBack(about)).toEqual(FAILED);
  });
});

describe("an installation without credentials", () => {
  it("says so, and has no callback", async () => {
    const bare = sharedService();
    for (const name of PROVIDERS) {
      const detail = `${name === "github" ? "GitHub" : "Google"} OAuth is not configured`;
      for (const prefix of ["/api/auth", "/auth"]) {
        const begun = await bare.call("GET", `${prefix}/${name}/authorize`);
        expect([begun.status, begun.body]).toEqual([503, { detail }]);
        expect(begun.headers.getSetCookie()).toEqual([]);
        const back = await bare.call("GET", `${prefix}/${name}/callback?code=a&state=b`);
        expect([back.status, back.body]).toEqual([404, { detail: "Not Found" }]);
      }
    }
  });
});

describe("the paths of providers", () => {
  it.each(["gitlab", "githubs", "agoogle", "GITHUB", "google%2f", ""])("are none of %j", async (name) => {
    for (const path of [`/api/auth/${name}/authorize`, `/auth/${name}/callback?code=a&state=b`]) {
      expect(await service.call("GET", path)).toMatchObject({ status: 404, body: { detail: "Not Found" } });
    }
  });

  it("leave those next to them alone", async () => {
    expect((await service.call("GET", "/api/auth/csrf")).status).toBe(200);
    expect((await service.call("POST", "/api/auth/github/authorize")).status).toBe(405);
  });
});

it("nothing secret has come into the log", async () => {
  const secrets = createSecrets(service.stack.variables["SECRET_KEY"] ?? "");
  const about = await goTo("github");
  const state = about.back.searchParams.get("state") ?? "";
  const cookie = about.who.cookies.get("oauth_state") ?? "";
  const { verifier, nonce } = JSON.parse(await secrets.decrypt(decodeURIComponent(cookie)));
  await comeBack(about);
  const ending = await service.call("GET", "/health");
  const log = await vi.waitFor(async () => {
    const text = await readFile(service.stack.logFile, "utf8");
    expect(text).toContain(ending.headers.get("x-request-id"));
    return text;
  });
  expect(log).toContain("OAuth login failed");
  expect(log).toContain("(bad_verification_code)");
  const own = [state, cookie, verifier, nonce, ...about.who.cookies.values(), REGISTERED.clientSecret];
  const all: string[] = [...github.secrets, ...google.secrets, ...own];
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter((secret) => log.includes(secret))).toEqual([]);
});
