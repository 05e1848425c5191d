import { decodeJwt, SignJWT, UnsecuredJWT } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { authenticateUser } from "#src/domain/access/permissions/index.ts";
import { beginOAuthLogin, finishOAuthLogin } from "#src/domain/people/oauth/index.ts";
import { claimFlow, openFlow } from "#src/domain/access/oauth-flows/flow.ts";
import { newId } from "#src/lib/ids.ts";
import type { OAuthProvider } from "#src/platform/oauth/provider.ts";
import { createOAuthStates } from "#src/platform/tokens/oauth-states.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT, sessionDeps } from "#test/support/people.ts";

const SECRET = "a-secret-key-for-tests-of-32-characters";
const key = new TextEncoder().encode(SECRET);

const { db } = await fileDatabase();

/** How often the provider was sent a code, and whether it lets the person in. */
const asked = { times: 0, lets: true };
beforeEach(() => Object.assign(asked, { times: 0, lets: true }));
const provider: OAuthProvider = {
  authorizationUrl: async ({ state }) =>
    `https://provider.test/?${new URLSearchParams({ state }).toString()}`,
  async identify() {
    asked.times += 1;
    if (!asked.lets) throw new Error("The person declined");
    return { accountId: newId(), email: `${newId()}@example.com` };
  },
};

const deps = () => ({
  ...sessionDeps(db),
  oauthStates: createOAuthStates({ secret: SECRET }),
  oauth: { github: provider, google: provider },
});

/** What a browser brings back from GitHub. */
interface Return {
  state: string;
  cookie: string | undefined;
}

async function begin(name: "github" | "google" = "github"): Promise<Return> {
  const { authorizationUrl, cookie } = await beginOAuthLogin(deps(), name);
  return { state: new URL(authorizationUrl).searchParams.get("state") ?? "", cookie: cookie.value };
}

const finish = ({ state, cookie }: Return) => {
  const parameters = new URLSearchParams({ state, code: "code" });
  return finishOAuthLogin(deps(), { provider: "github", parameters, cookie }, CLIENT);
};

interface Claims {
  id?: string | undefined;
  provider?: string;
  audience?: string;
  expires?: string | number;
}

/** A state as the service itself would sign it, but for what is named. */
const mint = ({ id = newId(), provider: name = "github", ...claims }: Claims, secret = key, alg = "HS256") =>
  new SignJWT({ provider: name })
    .setAudience(claims.audience ?? "workspace:oauth-state")
    .setIssuedAt()
    .setJti(id)
    .setExpirationTime(claims.expires ?? "5m")
    .setProtectedHeader({ alg })
    .sign(secret);

const unsigned = (id: string) =>
  new UnsecuredJWT({ provider: "github" })
    .setAudience("workspace:oauth-state")
    .setJti(id)
    .setExpirationTime("5m")
    .encode();

/** The state's own signature under other claims. */
function rewritten(state: string): string {
  const [header, , signature] = state.split(".");
  const claims = { ...decodeJwt(state), exp: 4_000_000_000 };
  return [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
}

/** What the browser keeps, with something else in it, as only the service can write it. */
async function keptWith(cookie: string | undefined, change: Record<string, unknown>): Promise<string> {
  const { secrets } = deps();
  const kept: Record<string, unknown> = JSON.parse(await secrets.decrypt(cookie ?? ""));
  return secrets.encrypt(JSON.stringify({ ...kept, ...change }));
}

type Spoil = (back: Return, id: string) => Partial<Return> | Promise<Partial<Return>>;
const state =
  (of: (id: string, state: string) => string | Promise<string>): Spoil =>
  async (back, id) => ({ state: await of(id, back.state) });

const INVALID: [name: string, spoil: Spoil][] = [
  ["is missing", state(() => "")],
  ["is garbage", state(() => "a.b.c")],
  ["says something else", state((_, was) => rewritten(was))],
  ["has no signature", state((_, was) => was.replace(/[^.]*$/u, ""))],
  ["is not signed", state((id) => unsigned(id))],
  [
    "is signed with another secret",
    state((id) => mint({ id }, new TextEncoder().encode(`another ${SECRET}`))),
  ],
  ["is signed in another way", state((id) => mint({ id }, key, "HS512"))],
  ["is a token for something else", state((id) => mint({ id, audience: "workspace:auth" }))],
  ["names no sign-in", state(() => mint({ id: "1" }))],
  ["is of another sign-in", state(() => mint({}))],
  ["is of another provider", state((id) => mint({ id, provider: "google" }))],
  ["comes to a browser that began nothing", () => ({ cookie: undefined })],
  ["comes to a browser that began another sign-in", async () => ({ cookie: (await begin()).cookie })],
  [
    "comes with a cookie of another provider",
    async ({ cookie }) => ({ cookie: await keptWith(cookie, { provider: "google" }) }),
  ],
  [
    "comes with a cookie that is no sign-in",
    async ({ cookie }) => ({ cookie: await keptWith(cookie, { verifier: 1 }) }),
  ],
];
const refusedWith = (detail: string) => ({ kind: "refused", detail });
const invalid = refusedWith("INVALID_STATE_TOKEN");
const REFUSED = { refusal: "INVALID_STATE_TOKEN" };

describe("a state of a sign-in", () => {
  it.each(INVALID)(
    "is refused, spends no code and stays good in its own browser, when it %s",
    async (_, spoil) => {
      const back = await begin();
      expect(await finish({ ...back, ...(await spoil(back, decodeJwt(back.state).jti ?? "")) })).toEqual(
        invalid,
      );
      expect(asked.times).toBe(0);
      expect(await finish(back)).toMatchObject({ kind: "signed_in" });
    },
  );

  it("is refused by another provider than the one it was made for", async () => {
    expect(await finish(await begin("google"))).toEqual(invalid);
    expect(asked.times).toBe(0);
  });

  it("is refused as expired after its time, also in a browser that has forgotten it", async () => {
    const back = await begin();
    const expires = Math.floor(Date.now() / 1000) - 1;
    const late = await mint({ id: decodeJwt(back.state).jti, expires });
    for (const cookie of [back.cookie, undefined]) {
      expect(await finish({ state: late, cookie })).toEqual(refusedWith("STATE_TOKEN_EXPIRED"));
    }
    expect(asked.times).toBe(0);
  });

  it("lets in one of eight that come back at once, and none afterwards", async () => {
    const back = await begin();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => finish(back)));
    const [session, ...more] = outcomes.flatMap((each) => (each.kind === "signed_in" ? [each.session] : []));
    expect(more).toEqual([]);
    expect(await authenticateUser(deps(), session?.accessToken ?? "")).toBeDefined();
    expect(await finish(back)).toEqual(invalid);
    expect(asked.times).toBe(1);
  });

  it("is used up where the provider does not let the person in", async () => {
    const back = await begin();
    asked.lets = false;
    expect(await finish(back)).toEqual({ kind: "failed" });
    asked.lets = true;
    expect(await finish(back)).toEqual(invalid);
  });
});

it("a provider without credentials begins no sign-in and finishes none", async () => {
  const bare = { ...deps(), oauth: { github: undefined, google: undefined } };
  await expect(beginOAuthLogin(bare, "github")).rejects.toMatchObject({
    code: "unavailable",
    message: "GitHub OAuth is not configured",
  });
  const callback = { provider: "google", parameters: new URLSearchParams(), cookie: undefined } as const;
  await expect(finishOAuthLogin(bare, callback, CLIENT)).rejects.toMatchObject({ code: "not_found" });
});

describe("a connection", () => {
  const sessionId = newId();
  const begun = () => openFlow(deps(), "git:github", { sessionId });

  it("is finished by the session that began it, once, and by no other", async () => {
    const { flow, cookie } = await begun();
    const claim = (presented: { sessionId?: string }) =>
      claimFlow(deps(), "git:github", { state: flow.state, cookie: cookie.value, ...presented });
    for (const stranger of [{ sessionId: newId() }, {}]) expect(await claim(stranger)).toEqual(REFUSED);
    expect(await claim({ sessionId })).toMatchObject({ flow });
    expect(await claim({ sessionId })).toEqual(REFUSED);
  });

  it("is finished for its own purpose, and in its own browser", async () => {
    const [{ flow, cookie }, other] = [await begun(), await begun()];
    const presented = { state: flow.state, cookie: cookie.value, sessionId };
    expect(await claimFlow(deps(), "git:gitlab", presented)).toEqual(REFUSED);
    for (const strange of [other.cookie.value, undefined])
      expect(await claimFlow(deps(), "git:github", { ...presented, cookie: strange })).toEqual(REFUSED);
  });
});
