import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { deploymentCredentials, projects, teamMemberships } from "#src/db/schema/index.ts";
import {
  beginConnection,
  credentialsIn,
  deleteCredential,
  finishConnection,
  firstOf,
  listCredentials,
  storeCredential,
  testCredential,
  updateCredential,
} from "#src/domain/hosting/credentials/index.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
import { type Colleague, newColleague, newMember, newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT } from "#test/support/people.ts";
import { timesAtOnce } from "#test/support/at-once.ts";
import { credentialDeps, hostingDouble } from "./hosting-double.ts";

const { db } = await fileDatabase();
const { hosting, behaviour, seen } = hostingDouble();
const deps = credentialDeps(db, hosting);

type Input = Partial<Parameters<typeof storeCredential>[2]>;
const store = ({ caller }: Colleague, fields: Input = {}) => {
  const input = { provider: "vercel", token: "token-1", metadata: {}, project: null, ...fields };
  return storeCredential(deps, caller, input, CLIENT);
};
const update = (
  { caller }: Colleague,
  id: string,
  token?: string,
  metadata: Record<string, string | null> = {},
) => updateCredential(deps, caller, { id, token, metadata }, CLIENT);

const rowsOf = ({ id }: Colleague) =>
  db.select().from(deploymentCredentials).where(eq(deploymentCredentials.userId, id));

const accessOf = async ({ id: userId }: Colleague, projectId: string | null = null) => {
  const place = { userId, provider: "vercel", projectId } as const;
  return (await firstOf(deps, place, await credentialsIn(db, place))).access;
};
const tokenIn = async (person: Colleague, projectId: string | null) =>
  (await accessOf(person, projectId)).token;

describe("a credential", () => {
  it("is one per person, provider and project, however many are stored at once", async () => {
    const person = await newColleague(db);
    const { id: project } = await newProject(db, person);
    const tokens = Array.from({ length: 6 }, (_, place) => `token-${place}`);
    await Promise.all(
      tokens.flatMap((token) => [store(person, { token }), store(person, { token, project })]),
    );
    const rows = await rowsOf(person);
    expect(rows).toHaveLength(2);
    expect(new Set(rows.map(({ projectId }) => projectId))).toEqual(new Set([project, null]));
    expect(tokens).toContain(await tokenIn(person, null));
  });

  it("of a project goes before the default, for that project alone", async () => {
    const person = await newColleague(db);
    const { id: project } = await newProject(db, person);
    await store(person, { token: "default" });
    await store(person, { token: "own", project });
    expect(await tokenIn(person, project)).toBe("own");
    for (const other of [crypto.randomUUID(), null]) expect(await tokenIn(person, other)).toBe("default");
  });

  it("is its owner's alone", async () => {
    const person = await newColleague(db);
    const { id: project, teamId } = await newProject(db, person);
    const editor = await newMember(db, teamId, "editor");
    const { id } = await store(person, { project });
    const unconnected = { code: "invalid_input", message: "Connect your Vercel account first" };
    await expect(tokenIn(editor, project)).rejects.toMatchObject(unconnected);
    for (const act of [
      () => update(editor, id, "stolen"),
      () => deleteCredential(deps, editor.caller, id, CLIENT),
      () => testCredential(deps, { userId: editor.id, id }),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: "not_found" });
    }
    expect(await tokenIn(person, project)).toBe("token-1");
  });

  it("of a project needs a role that may deploy there, at every write but its deletion", async () => {
    const person = await newColleague(db);
    const { id: project, teamId } = await newProject(db, person);
    const viewer = await newMember(db, teamId, "viewer");
    await expect(store(viewer, { project })).rejects.toMatchObject({ code: "forbidden" });
    await expect(store(await newColleague(db), { project })).rejects.toMatchObject({ code: "not_found" });
    const { id } = await store(person, { project });
    const ofViewer = { userId: viewer.id };
    await db.update(deploymentCredentials).set(ofViewer).where(eq(deploymentCredentials.id, id));
    await expect(update(viewer, id, "token-2")).rejects.toMatchObject({ code: "forbidden" });
    await deleteCredential(deps, viewer.caller, id, CLIENT);
    expect(await rowsOf(viewer)).toEqual([]);
  });

  it.each(["koyeb", "Vercel"])("is refused for %s, with the five", async (provider) => {
    const five = "`vercel`, `netlify`, `cloudflare`, `heroku`, `digitalocean`";
    const message = `provider: deployments go to one of ${five}`;
    const stored = store(await newColleague(db), { provider });
    await expect(stored).rejects.toMatchObject({ code: "invalid_input", message });
  });

  it("has its place decided when it is stored", async () => {
    const person = await newColleague(db);
    const { id } = await store(person, { token: "standin_1" });
    for (const [token, access] of [
      [undefined, { token: "standin_1", isStandin: true }],
      ["real", { token: "real", isStandin: false }],
    ] as const) {
      await update(person, id, token);
      expect(await accessOf(person)).toMatchObject(access);
    }
    await expect(store(person, { token: "refused_1" })).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("has its metadata merged by concurrent changes, without losing one", async () => {
    const person = await newColleague(db);
    const { id } = await store(person, { metadata: { refresh_token: "r-1", team_id: "team_1" } });
    const changes = [{ email: "a@b.test" }, { username: "ada" }, { team_id: null }];
    await Promise.all(changes.map((metadata) => update(person, id, undefined, metadata)));
    const metadata = { refresh_token: "r-1", email: "a@b.test", username: "ada" };
    expect(await accessOf(person)).toEqual({ token: "token-1", metadata, isStandin: false });
  });

  it("keeps secrets out of the plain columns and of the log, and notes each change", async () => {
    const person = await newColleague(db);
    const input = {
      token: "canary-token-0",
      metadata: { team_id: "team_1", aws_secret_access_key: "canary-secret-2" },
    };
    const { id } = await store(person, input);
    await store(person, input);
    await update(person, id, "canary-token-1");
    const kept = [await rowsOf(person), await listCredentials(deps, person.caller, {})];
    await deleteCredential(deps, person.caller, id, CLIENT);
    const entries = await auditEntries(db, { userId: person.id });
    expect(JSON.stringify([kept, entries])).not.toContain("canary");
    const actions = ["created", "updated", "updated", "deleted"];
    expect(entries.map(({ action }) => action)).toEqual(
      actions.map((each) => `deployment_credential.${each}`),
    );
    const details = { project_id: null, auth_type: "token" };
    expect(entries[0]).toMatchObject({ resourceId: "vercel", details, teamId: person.personalTeamId });
  });

  it("that cannot be decrypted spoils no list, and is replaced by a new token", async () => {
    const person = await newColleague(db);
    const { id } = await store(person);
    await store(person, { provider: "netlify" });
    const foreign = { encryptedToken: "gAAAAA-of-another-key", encryptedMetadata: "gAAAAA-too" };
    await db.update(deploymentCredentials).set(foreign).where(eq(deploymentCredentials.id, id));
    const list = async () =>
      (await listCredentials(deps, person.caller, {})).map(({ isReadable }) => isReadable);
    expect(await list()).toEqual([false, true]);
    await expect(tokenIn(person, null)).rejects.toMatchObject({ code: "invalid_input" });
    expect(await testCredential(deps, { userId: person.id, id })).toMatchObject({ isValid: false });
    await expect(update(person, id)).rejects.toMatchObject({ code: "invalid_input" });
    await update(person, id, "token-2");
    expect(await list()).toEqual([true, true]);
    expect(await tokenIn(person, null)).toBe("token-2");
  });

  it("is tested at its provider", async () => {
    const person = await newColleague(db);
    const { id } = await store(person, { metadata: { team_id: "t" } });
    const test = () => testCredential(deps, { userId: person.id, id });
    expect(await test()).toEqual({ isValid: true, account: { id: "t", name: "Ada" } });
    await update(person, id, "bad-1");
    const reason = "Vercel refused the credential: connect your account again";
    expect(await test()).toEqual({ isValid: false, reason });
  });
});

/** A person with a grant that has expired. */
async function withExpiredGrant(refreshToken: string | null = "refresh-0") {
  const person = await newColleague(db);
  const { id } = await store(person);
  const encryptedRefreshToken = refreshToken && (await deps.deploymentSecrets.encrypt(refreshToken));
  const expired = {
    authType: "oauth",
    expiresAt: new Date(Date.now() - 1000),
    encryptedRefreshToken,
  } as const;
  await db.update(deploymentCredentials).set(expired).where(eq(deploymentCredentials.id, id));
  seen.refreshes = [];
  return { ...person, credential: id };
}

/** A refresh that grants this, and goes on until it is told to end. */
function refreshing(grant: { accessToken: string; refreshToken: string | null }) {
  const over = Promise.withResolvers<void>();
  behaviour.refreshed = over.promise;
  const expiresAt = new Date(Date.now() + 3_600_000);
  behaviour.grant = () => ({ ...grant, expiresAt, metadata: {} });
  return over;
}

describe("an expired grant", () => {
  it("is refreshed once, however many ask, and its refresh token stays without a new one", async () => {
    const person = await withExpiredGrant();
    const over = refreshing({ accessToken: "fresh", refreshToken: null });
    const asked = Promise.all(Array.from({ length: 5 }, () => tokenIn(person, null)));
    await vi.waitUntil(() => seen.refreshes.length > 0);
    over.resolve();
    expect(await asked).toEqual(Array(5).fill("fresh"));
    expect(seen.refreshes).toEqual(["refresh-0"]);
    const [row] = await rowsOf(person);
    expect(row?.refreshUntil).toBeNull();
    expect(await deps.deploymentSecrets.decrypt(row?.encryptedRefreshToken ?? "")).toBe("refresh-0");
  });

  it("keeps what was refreshed when its metadata changes at the same time", async () => {
    const person = await withExpiredGrant();
    const over = refreshing({ accessToken: "fresh-2", refreshToken: "refresh-2" });
    const used = tokenIn(person, null);
    await vi.waitUntil(() => seen.refreshes.length > 0);
    await update(person, person.credential, undefined, { email: "a@b.test" });
    over.resolve();
    expect(await used).toBe("fresh-2");
    const [row] = await rowsOf(person);
    expect(await deps.deploymentSecrets.decrypt(row?.encryptedToken ?? "")).toBe("fresh-2");
    expect(row?.metadata).toEqual({ email: "a@b.test" });
  });

  it.each([
    ["has no refresh token", null, false],
    ["came from another place", "refresh-0", true],
  ])("asks to connect again where it %s", async (_, refreshToken, isStandin) => {
    const person = await withExpiredGrant(refreshToken);
    behaviour.isStandin = isStandin;
    const message = "The connection to Vercel has expired: connect your account again";
    await expect(tokenIn(person, null)).rejects.toMatchObject({ code: "invalid_input", message });
    expect(seen.refreshes).toEqual([]);
    behaviour.isStandin = false;
  });
});

type WayBack = Parameters<typeof finishConnection>[1];

/** A person at the provider's page, about to come back. */
async function goTo(project: string | null = null, person?: Colleague) {
  const who = person ?? (await newColleague(db));
  const begun = await beginConnection(deps, who.caller, { provider: "vercel", project });
  const state = new URL(begun.authorizationUrl).searchParams.get("state") ?? "";
  const comeBack = (change: Partial<WayBack> & { query?: Record<string, string> } = {}) =>
    finishConnection(deps, {
      provider: "vercel",
      parameters: new URLSearchParams(change.query ?? { state, code: "good" }),
      cookie: begun.cookie.value,
      visitor: who.caller,
      client: CLIENT,
      ...change,
    });
  return { who, state, begun, comeBack };
}

const BAD_STATE = { code: "invalid_input", message: "INVALID_STATE_TOKEN" };

describe("an account", () => {
  it("is connected to whoever began, with what the provider says of it", async () => {
    behaviour.isStandin = true;
    const metadata = { team_id: "team_1", account_name: "Ada" };
    const expiresAt = new Date(Date.now() + 3_600_000);
    behaviour.grant = () => ({ accessToken: "granted", refreshToken: "refresh", expiresAt, metadata });
    const { who, comeBack } = await goTo();
    expect(await comeBack()).toEqual({ label: "Vercel", isConnected: true });
    const place = { userId: who.id, provider: "vercel", projectId: null } as const;
    expect((await firstOf(deps, place, await credentialsIn(deps.db, place))).access).toEqual({
      token: "granted",
      metadata,
      isStandin: true,
    });
    expect(await rowsOf(who)).toMatchObject([{ authType: "oauth", isStandin: true }]);
    behaviour.isStandin = false;
  });

  it("is exchanged with the verifier that never left the service", async () => {
    const { comeBack, begun, state } = await goTo();
    seen.exchanges = [];
    await comeBack();
    const verifier = seen.exchanges[0]?.[1].verifier ?? "";
    expect(verifier).toMatch(/^[\w-]{43,128}$/u);
    const visible = [begun.authorizationUrl, begun.cookie.value, atob(state.split(".")[1] ?? "")].join(" ");
    expect(visible).not.toContain(verifier);
  });

  it("is connected for a project", async () => {
    const who = await newColleague(db);
    const { id } = await newProject(db, who);
    const { comeBack } = await goTo(id, who);
    await comeBack();
    expect(await rowsOf(who)).toMatchObject([{ projectId: id }]);
  });
});

describe("a way back", () => {
  it("is good once, also for callbacks at the same time", async () => {
    const { who, comeBack } = await goTo();
    const { refused } = await timesAtOnce(3, () => comeBack());
    expect(refused).toMatchObject([BAD_STATE, BAD_STATE]);
    await expect(comeBack()).rejects.toMatchObject(BAD_STATE);
    expect(await rowsOf(who)).toHaveLength(1);
  });

  it("is refused in another browser, without a session, in another session and for another person", async () => {
    const { who, comeBack } = await goTo();
    const attacker = await goTo();
    const attempts = [
      { cookie: undefined },
      { cookie: attacker.begun.cookie.value },
      { visitor: undefined },
      { visitor: { ...who.caller, sessionId: crypto.randomUUID() } },
      { visitor: attacker.who.caller },
      { visitor: attacker.who.caller, cookie: attacker.begun.cookie.value },
      { query: { code: "good" } },
      { query: { state: "forged", code: "good" } },
      { provider: "netlify" as const },
    ];
    for (const attempt of attempts) await expect(comeBack(attempt)).rejects.toMatchObject(BAD_STATE);
    expect(await rowsOf(who)).toEqual([]);
    expect(await rowsOf(attacker.who)).toEqual([]);
    // None of these used the state up.
    expect(await comeBack()).toMatchObject({ isConnected: true });
  });

  it.each([
    ["declined", { error: "access_denied", error_description: "<script>alert(1)</script>" }],
    ["has a code that the provider refuses", { code: "bad" }],
  ])("connects nothing where the person %s, and is used up", async (_, query) => {
    const { who, state, comeBack } = await goTo();
    expect(await comeBack({ query: { state, ...query } })).toEqual({ label: "Vercel", isConnected: false });
    await expect(comeBack()).rejects.toMatchObject(BAD_STATE);
    expect(await rowsOf(who)).toEqual([]);
  });
});

describe("a project", () => {
  it("is checked at the beginning", async () => {
    const owner = await newColleague(db);
    const { id, teamId } = await newProject(db, owner);
    await expect(goTo(id, await newColleague(db))).rejects.toMatchObject({ code: "not_found" });
    const viewer = await newMember(db, teamId, "viewer");
    await expect(goTo(id, viewer)).rejects.toMatchObject({ code: "forbidden" });
  });

  it("is checked at the end: of one that was left or deleted nothing is stored, nor as the default", async () => {
    const owner = await newColleague(db);
    const { id, teamId } = await newProject(db, owner);
    const editor = await newMember(db, teamId, "editor");
    const [left, deleted] = [await goTo(id, editor), await goTo(id, owner)];
    seen.exchanges = [];
    await db.delete(teamMemberships).where(eq(teamMemberships.userId, editor.id));
    expect(await left.comeBack()).toMatchObject({ isConnected: false });
    await db.delete(projects).where(eq(projects.id, id));
    expect(await deleted.comeBack()).toMatchObject({ isConnected: false });
    expect([...(await rowsOf(editor)), ...(await rowsOf(owner))]).toEqual([]);
    expect(seen.exchanges).toEqual([]);
  });
});

it("is not configured where there is no app", async () => {
  behaviour.hasApp = false;
  await expect(goTo()).rejects.toMatchObject({ code: "not_configured", status: 501 });
  behaviour.hasApp = true;
});
