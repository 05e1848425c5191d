import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { auditLog, deploymentCredentials } from "#src/db/schema/index.ts";
import {
  credentialFor,
  deleteCredential,
  listCredentials,
  storeCredential,
  testCredential,
  updateCredential,
} from "#src/domain/hosting/credentials/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { newColleague, newMember, type Colleague } from "#test/support/colleagues.ts";
import { openDatabase } from "#test/support/database.ts";
import { CLIENT } from "#test/support/people.ts";
import { credentialDeps, hostingDouble } from "./hosting-double.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let deps: ReturnType<typeof credentialDeps>;
const { hosting, behaviour, seen } = hostingDouble();
beforeAll(async () => {
  database = await openDatabase();
  deps = credentialDeps(database.db, hosting);
});
afterAll(() => database.close());

const newProject = ({ caller }: Colleague) =>
  createProject(deps, caller, { name: "app", description: "", sourceType: "empty" });

const wish = (fields: Partial<Parameters<typeof storeCredential>[2]> = {}) => ({
  provider: "vercel",
  token: "token-1",
  metadata: {},
  project: null,
  ...fields,
});

const rowsOf = ({ id }: Colleague) =>
  database.db.select().from(deploymentCredentials).where(eq(deploymentCredentials.userId, id));

const tokenIn = async ({ id }: Colleague, projectId: string | null) => {
  const place = { userId: id, provider: "vercel", projectId } as const;
  return (await credentialFor(deps, place)).access.token;
};

describe("a credential", () => {
  it("is one per person, provider and project, however many are stored at once", async () => {
    const person = await newColleague(database.db);
    const { id: project } = await newProject(person);
    const tokens = Array.from({ length: 6 }, (_, place) => `token-${place}`);
    await Promise.all(
      tokens.flatMap((token) => [
        storeCredential(deps, person.caller, wish({ token }), CLIENT),
        storeCredential(deps, person.caller, wish({ token, project }), CLIENT),
      ]),
    );
    const rows = await rowsOf(person);
    expect(rows).toHaveLength(2);
    expect(new Set(rows.map(({ projectId }) => projectId))).toEqual(new Set([project, null]));
    expect(tokens).toContain(await tokenIn(person, null));
  });

  it("of a project goes before the default, for that project alone", async () => {
    const person = await newColleague(database.db);
    const { id: project } = await newProject(person);
    await storeCredential(deps, person.caller, wish({ token: "default" }), CLIENT);
    await storeCredential(deps, person.caller, wish({ token: "own", project }), CLIENT);
    expect(await tokenIn(person, project)).toBe("own");
    expect(await tokenIn(person, crypto.randomUUID())).toBe("default");
    expect(await tokenIn(person, null)).toBe("default");
  });

  it("is its owner's alone", async () => {
    const person = await newColleague(database.db);
    const { id: project, teamId } = await newProject(person);
    const editor = await newMember(database.db, teamId, "editor");
    const { id } = await storeCredential(deps, person.caller, wish({ project }), CLIENT);
    await expect(tokenIn(editor, project)).rejects.toMatchObject({
      code: "invalid_input",
      message: "Connect your Vercel account first",
    });
    const change = { id, token: "stolen", metadata: {} };
    await expect(updateCredential(deps, editor.caller, change, CLIENT)).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(deleteCredential(deps, editor.caller, id, CLIENT)).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(testCredential(deps, { userId: editor.id, id })).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await tokenIn(person, project)).toBe("token-1");
  });

  it("of a project needs a role that may deploy there, at every write but its deletion", async () => {
    const person = await newColleague(database.db);
    const { id: project, teamId } = await newProject(person);
    const viewer = await newMember(database.db, teamId, "viewer");
    const stranger = await newColleague(database.db);
    const store = ({ caller }: Colleague) => storeCredential(deps, caller, wish({ project }), CLIENT);
    await expect(store(viewer)).rejects.toMatchObject({ code: "forbidden" });
    await expect(store(stranger)).rejects.toMatchObject({ code: "not_found" });
    const { id } = await store(person);
    await database.db
      .update(deploymentCredentials)
      .set({ userId: viewer.id })
      .where(eq(deploymentCredentials.id, id));
    const change = { id, token: "token-2", metadata: {} };
    await expect(updateCredential(deps, viewer.caller, change, CLIENT)).rejects.toMatchObject({
      code: "forbidden",
    });
    await deleteCredential(deps, viewer.caller, id, CLIENT);
    expect(await rowsOf(viewer)).toEqual([]);
  });

  it.each(["koyeb", "Vercel"])("is refused for %s, with the five", async (provider) => {
    const { caller } = await newColleague(database.db);
    await expect(storeCredential(deps, caller, wish({ provider }), CLIENT)).rejects.toMatchObject({
      code: "invalid_input",
      message:
        "provider: deployments go to one of `vercel`, `netlify`, `cloudflare`, `heroku`, `digitalocean`",
    });
  });

  it("has its place decided when it is stored", async () => {
    const person = await newColleague(database.db);
    const { id } = await storeCredential(deps, person.caller, wish({ token: "standin_1" }), CLIENT);
    const place = { userId: person.id, provider: "vercel", projectId: null } as const;
    expect((await credentialFor(deps, place)).access).toMatchObject({ isStandin: true });
    await updateCredential(deps, person.caller, { id, token: undefined, metadata: {} }, CLIENT);
    expect((await credentialFor(deps, place)).access).toMatchObject({ token: "standin_1", isStandin: true });
    await updateCredential(deps, person.caller, { id, token: "real", metadata: {} }, CLIENT);
    expect((await credentialFor(deps, place)).access).toMatchObject({ token: "real", isStandin: false });
    const refused = storeCredential(deps, person.caller, wish({ token: "refused_1" }), CLIENT);
    await expect(refused).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("has its metadata merged by concurrent changes, without losing one", async () => {
    const person = await newColleague(database.db);
    const { id } = await storeCredential(
      deps,
      person.caller,
      wish({ metadata: { refresh_token: "r-1", team_id: "team_1" } }),
      CLIENT,
    );
    const change = (metadata: Record<string, string | null>) =>
      updateCredential(deps, person.caller, { id, token: undefined, metadata }, CLIENT);
    await Promise.all([
      change({ email: "a@b.test" }),
      change({ username: "ada" }),
      change({ team_id: null }),
    ]);
    const place = { userId: person.id, provider: "vercel", projectId: null } as const;
    const { access } = await credentialFor(deps, place);
    expect(access).toMatchObject({
      token: "token-1",
      metadata: { refresh_token: "r-1", email: "a@b.test", username: "ada" },
    });
    expect(access.metadata).not.toHaveProperty("team_id");
  });

  it("keeps secrets out of the plain columns and of the log, and notes each change", async () => {
    const person = await newColleague(database.db);
    const canaries = ["canary-token-0", "canary-token-1", "canary-secret-2"];
    const metadata = { team_id: "team_1", aws_secret_access_key: "canary-secret-2" };
    const { id } = await storeCredential(
      deps,
      person.caller,
      wish({ token: "canary-token-0", metadata }),
      CLIENT,
    );
    await storeCredential(deps, person.caller, wish({ token: "canary-token-0", metadata }), CLIENT);
    await updateCredential(deps, person.caller, { id, token: "canary-token-1", metadata: {} }, CLIENT);
    const stored = JSON.stringify(await rowsOf(person));
    const shown = JSON.stringify(await listCredentials(deps, person.caller, {}));
    await deleteCredential(deps, person.caller, id, CLIENT);
    const entries = await database.db.select().from(auditLog).where(eq(auditLog.userId, person.id));
    const all = stored + shown + JSON.stringify(entries);
    expect(canaries.filter((canary) => all.includes(canary))).toEqual([]);
    expect(entries.map(({ action }) => action)).toEqual([
      "deployment_credential.created",
      "deployment_credential.updated",
      "deployment_credential.updated",
      "deployment_credential.deleted",
    ]);
    expect(entries[0]).toMatchObject({
      resourceType: "deployment_credential",
      resourceId: "vercel",
      details: { project_id: null, auth_type: "token" },
      teamId: person.personalTeamId,
    });
  });

  it("that cannot be decrypted spoils no list, and is replaced by a new token", async () => {
    const person = await newColleague(database.db);
    const { id } = await storeCredential(deps, person.caller, wish(), CLIENT);
    await storeCredential(deps, person.caller, wish({ provider: "netlify" }), CLIENT);
    await database.db
      .update(deploymentCredentials)
      .set({ encryptedToken: "gAAAAA-of-another-key", encryptedMetadata: "gAAAAA-too" })
      .where(eq(deploymentCredentials.id, id));
    const list = async () =>
      (await listCredentials(deps, person.caller, {})).map(({ isReadable }) => isReadable);
    expect(await list()).toEqual([false, true]);
    await expect(tokenIn(person, null)).rejects.toMatchObject({ code: "invalid_input" });
    expect(await testCredential(deps, { userId: person.id, id })).toMatchObject({ isValid: false });
    const change = (token: string | undefined) =>
      updateCredential(deps, person.caller, { id, token, metadata: {} }, CLIENT);
    await expect(change(undefined)).rejects.toMatchObject({ code: "invalid_input" });
    await change("token-2");
    expect(await list()).toEqual([true, true]);
    expect(await tokenIn(person, null)).toBe("token-2");
  });

  it("is tested at its provider", async () => {
    const person = await newColleague(database.db);
    const { id } = await storeCredential(deps, person.caller, wish({ metadata: { team_id: "t" } }), CLIENT);
    const test = () => testCredential(deps, { userId: person.id, id });
    expect(await test()).toEqual({ isValid: true, account: { id: "t", name: "Ada" } });
    await updateCredential(deps, person.caller, { id, token: "bad-1", metadata: {} }, CLIENT);
    expect(await test()).toEqual({
      isValid: false,
      reason: "Vercel refused the credential: connect your account again",
    });
  });
});

/** A person with a grant that has expired. */
async function withExpiredGrant(refreshToken: string | null = "refresh-0") {
  const person = await newColleague(database.db);
  const { id } = await storeCredential(deps, person.caller, wish(), CLIENT);
  const encrypt = (text: string) => deps.deploymentSecrets.encrypt(text);
  await database.db
    .update(deploymentCredentials)
    .set({
      authType: "oauth",
      expiresAt: new Date(Date.now() - 1000),
      encryptedRefreshToken: refreshToken === null ? null : await encrypt(refreshToken),
    })
    .where(eq(deploymentCredentials.id, id));
  return { ...person, credential: id };
}

describe("an expired grant", () => {
  it("is refreshed once, however many ask, and its refresh token stays without a new one", async () => {
    const person = await withExpiredGrant();
    seen.refreshes = [];
    const over = Promise.withResolvers<void>();
    behaviour.refreshed = over.promise;
    const expiresAt = new Date(Date.now() + 3_600_000);
    const plain = { refreshToken: null, expiresAt, metadata: {} };
    behaviour.grant = () => ({ ...plain, accessToken: "fresh" });
    const asked = Promise.all(Array.from({ length: 5 }, () => tokenIn(person, null)));
    await vi.waitUntil(() => seen.refreshes.length > 0);
    over.resolve();
    const tokens = await asked;
    expect(tokens).toEqual(Array(5).fill("fresh"));
    expect(seen.refreshes).toEqual(["refresh-0"]);
    const [row] = await rowsOf(person);
    expect(row?.refreshUntil).toBeNull();
    expect(await deps.deploymentSecrets.decrypt(row?.encryptedRefreshToken ?? "")).toBe("refresh-0");
  });

  it("keeps what was refreshed when its metadata changes at the same time", async () => {
    const person = await withExpiredGrant();
    const expiresAt = new Date(Date.now() + 3_600_000);
    behaviour.grant = () => ({ accessToken: "fresh-2", refreshToken: "refresh-2", expiresAt, metadata: {} });
    seen.refreshes = [];
    const over = Promise.withResolvers<void>();
    behaviour.refreshed = over.promise;
    const change = { id: person.credential, token: undefined, metadata: { email: "a@b.test" } };
    const used = tokenIn(person, null);
    await vi.waitUntil(() => seen.refreshes.length > 0);
    await updateCredential(deps, person.caller, change, CLIENT);
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
    seen.refreshes = [];
    await expect(tokenIn(person, null)).rejects.toMatchObject({
      code: "invalid_input",
      message: "The connection to Vercel has expired: connect your account again",
    });
    expect(seen.refreshes).toEqual([]);
    behaviour.isStandin = false;
  });
});
