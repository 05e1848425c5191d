import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { chats, oauthRequests, oauthTokens, teamMemberships, users } from "#src/db/schema/index.ts";
import { authenticateGrant, callerFor, type KeyCaller } from "#src/domain/access/permissions/index.ts";
import { endOtherSessions, endSession } from "#src/domain/access/sessions/index.ts";
import {
  decideRequest,
  disconnectAllApps,
  disconnectApp,
  exchangeCode,
  listConnectedApps,
  openRequest,
  refreshTokens,
  revokeToken,
} from "#src/domain/programs/connected-apps/index.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import { requestPasswordReset, resetPassword } from "#src/domain/people/mailed-links/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { listChats, requireChat } from "#src/domain/agent-work/chats/index.ts";
import { listTasks, requireOpenTask, startTask } from "#src/domain/agent-work/tasks/index.ts";
import { listProjects, requireProject } from "#src/domain/workspaces/projects/index.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
import { newApiKey } from "#test/domain/programs/support/new-api-key.ts";
import { allowedCode, appDeps, connectedApp, newQuestion, SCOPES } from "#test/support/app-grants.ts";
import { timesAtOnce } from "#test/support/at-once.ts";
import { holdOpen, onlyEmbedded, untilWaiting } from "#test/support/held-open.ts";
import { MemoryAttempts } from "#test/support/memory-attempts.ts";
import { fileDatabase } from "#test/support/database.ts";
import { mailing } from "#test/support/mailbox.ts";
import { changeOwnAccount, CLIENT, newPerson, sessionDeps } from "#test/support/people.ts";
import { newColleague, newProject } from "#test/support/colleagues.ts";
import { messageToAgent, startDeps } from "#test/support/message-to-agent.ts";

const { db } = await fileDatabase();
const RESOURCE = "https://service.test/mcp";

const refusal = (error: string) => expect.objectContaining({ code: "invalid_input", extra: { error } });
const enter = (token: string, resource = RESOURCE) => authenticateGrant({ db }, token, resource);
const isRefused = { code: "unauthenticated" };

async function newApp() {
  const [deps, person] = [appDeps(db), await newPerson(db)];
  const app = await connectedApp(deps, person.caller);
  const refresh = (
    refreshToken: string,
    other: { clientId?: string; scope?: string } = {},
    attempts: AttemptLimits = deps.attempts,
  ) => {
    const asked = { refreshToken, clientId: app.clientId, scope: undefined, resource: undefined, ...other };
    return refreshTokens({ ...deps, attempts }, asked, CLIENT);
  };
  return { deps, person, app, refresh };
}

/** As if so many seconds had passed for a token. */
const ageToken = (token: string, seconds: number) =>
  db
    .update(oauthTokens)
    .set({ expiresAt: sql`${oauthTokens.expiresAt} - make_interval(secs => ${seconds})` })
    .where(eq(oauthTokens.tokenHash, sha256Hex(token)));

describe("a code", () => {
  it("gives a grant once: of four exchanges at once, one gets tokens, and a second use ends what they gave", async () => {
    const [deps, { caller }] = [appDeps(db), await newPerson(db)];
    const { exchangeInput } = await allowedCode(deps, caller);
    const { done, refused } = await timesAtOnce(4, () => exchangeCode(deps, exchangeInput, CLIENT));
    expect(done).toHaveLength(1);
    expect(refused).toEqual(Array.from({ length: 3 }, () => refusal("invalid_grant")));
    await expect(enter(done[0]?.accessToken ?? "")).rejects.toMatchObject(isRefused);
    expect(await listConnectedApps(deps, caller)).toEqual([]);
  });

  it.each([
    ["the verifier of another", { codeVerifier: "x".repeat(43) }, "invalid_grant"],
    ["another client's id", { clientId: "mcp_another" }, "invalid_grant"],
    ["another address", { redirectUri: "http://localhost:1456/callback" }, "invalid_grant"],
    ["another resource", { resource: "https://other.test/mcp" }, "invalid_target"],
  ])("is refused with %s, and stays for its own client", async (_, other, error) => {
    const [deps, { caller }] = [appDeps(db), await newPerson(db)];
    const { exchangeInput } = await allowedCode(deps, caller);
    await expect(exchangeCode(deps, { ...exchangeInput, ...other }, CLIENT)).rejects.toEqual(refusal(error));
    expect(await exchangeCode(deps, exchangeInput, CLIENT)).toMatchObject({ scopes: SCOPES });
  });

  it.each<[string, (person: Awaited<ReturnType<typeof newPerson>>, requestId: string) => Promise<unknown>]>([
    [
      "after a minute",
      (_, id) =>
        db
          .update(oauthRequests)
          .set({ codeExpiresAt: sql`now()` })
          .where(eq(oauthRequests.id, id)),
    ],
    [
      "once the session that allowed it has ended",
      ({ caller }) => endSession({ db }, caller, caller.sessionId, CLIENT),
    ],
    [
      "once the account is disabled",
      ({ user }) => db.update(users).set({ isActive: false }).where(eq(users.id, user.id)),
    ],
    [
      "once the person has left the team",
      ({ user }) => db.delete(teamMemberships).where(eq(teamMemberships.userId, user.id)),
    ],
  ])("gives nothing %s", async (_, change) => {
    const [deps, person] = [appDeps(db), await newPerson(db)];
    const { exchangeInput, requestId } = await allowedCode(deps, person.caller);
    await change(person, requestId);
    await expect(exchangeCode(deps, exchangeInput, CLIENT)).rejects.toEqual(refusal("invalid_grant"));
  });
});

it.skipIf(onlyEmbedded())(
  "a grant that is just made ends with all others once the session that allowed it has ended",
  async () => {
    const [deps, { caller }] = [appDeps(db), await newPerson(db)];
    const { exchangeInput, requestId } = await allowedCode(deps, caller);
    const request = sql`SELECT FROM oauth_requests WHERE id = ${requestId}::uuid FOR UPDATE`;
    const held = await holdOpen(db, db.execute(request));
    const exchanged = exchangeCode(deps, exchangeInput, CLIENT).then(
      ({ accessToken }) => accessToken,
      () => "refused",
    );
    await untilWaiting(db, 1);
    const elsewhere = { ...caller, sessionId: newId() };
    const ended = endOtherSessions({ db }, elsewhere, CLIENT).then(() =>
      disconnectAllApps(deps, elsewhere, CLIENT),
    );
    await Promise.race([ended, untilWaiting(db, 2).catch(() => {})]);
    await held.release();
    await ended;
    await expect(enter(await exchanged)).rejects.toMatchObject(isRefused);
    expect(await listConnectedApps(deps, caller)).toEqual([]);
  },
);

describe("a request", () => {
  it("is decided once, by the session that opened it", async () => {
    const [deps, person, other] = [appDeps(db), await newPerson(db), await newPerson(db)];
    const opened = await openRequest(deps, person.caller, newQuestion(deps).asked, SCOPES);
    const id = "id" in opened ? opened.id : "";
    const allow = (caller = person.caller) =>
      decideRequest(deps, caller, id, { decision: "allow", scopes: ["file.read"], team: undefined }, CLIENT);
    await expect(allow(other.caller)).rejects.toMatchObject({ code: "not_found" });
    await expect(allow({ ...person.caller, sessionId: other.caller.sessionId })).rejects.toMatchObject({
      code: "not_found",
    });
    const { done, refused } = await timesAtOnce(3, () => allow());
    expect(done).toHaveLength(1);
    expect(refused).toMatchObject([{ code: "conflict" }, { code: "conflict" }]);
    const entries = await auditEntries(db, { userId: person.user.id, resourceId: id });
    expect(entries).toMatchObject([{ action: "connected_app.allowed" }]);
  });

  it("cannot be decided after ten minutes, or for a team of others, or without a permission", async () => {
    const [deps, { caller }] = [appDeps(db), await newPerson(db)];
    const opened = await openRequest(deps, caller, newQuestion(deps).asked, SCOPES);
    const id = "id" in opened ? opened.id : "";
    const allow = (scopes: string[], team?: string) =>
      decideRequest(deps, caller, id, { decision: "allow", scopes, team }, CLIENT);
    await expect(allow(["file.read"], "a-team-of-others")).rejects.toMatchObject({ code: "not_found" });
    await expect(allow(["billing.manage"])).rejects.toMatchObject({ code: "invalid_input" });
    await db
      .update(oauthRequests)
      .set({ expiresAt: sql`now()` })
      .where(eq(oauthRequests.id, id));
    await expect(allow(["file.read"])).rejects.toMatchObject({ code: "gone" });
  });
});

describe("a connected app", () => {
  it("acts as a key of its person with the scopes that were left, and starts tasks as one", async () => {
    const { deps, person, app } = await newApp();
    const caller = await enter(app.accessToken);
    expect(caller).toMatchObject({ kind: "key", userId: person.user.id, scopes: SCOPES, projectIds: null });
    expect(await callerFor({ db }, { userId: person.user.id, apiKeyId: caller.keyId })).toEqual(caller);
    expect(await listConnectedApps(deps, person.caller)).toMatchObject([
      { clientName: "Laptop client", returnsTo: "this machine", scopes: SCOPES },
    ]);
  });

  it("is refused for another resource, with a refresh token, and after an hour, while its tasks go on", async () => {
    const { person, app } = await newApp();
    const { keyId } = await enter(app.accessToken);
    await expect(enter(app.accessToken, "https://new.test/mcp")).rejects.toMatchObject(isRefused);
    await expect(enter(app.refreshToken)).rejects.toMatchObject(isRefused);
    await ageToken(app.accessToken, app.expiresIn);
    await expect(enter(app.accessToken)).rejects.toMatchObject(isRefused);
    expect(await callerFor({ db }, { userId: person.user.id, apiKeyId: keyId })).toMatchObject({ keyId });
  });

  it("refreshes with the same scopes, and never gets more", async () => {
    const { app, refresh } = await newApp();
    await expect(refresh(app.refreshToken, { scope: "file.read terminal.access" })).rejects.toEqual(
      refusal("invalid_scope"),
    );
    const next = await refresh(app.refreshToken, { scope: "file.read" });
    expect(next.scopes).toEqual(SCOPES);
    expect(await enter(next.accessToken)).toMatchObject({ scopes: SCOPES });
  });

  it("ends when a refresh token is used twice, also at once: whoever has the newest loses it, too", async () => {
    const { deps, person, app, refresh } = await newApp();
    await expect(refresh(app.refreshToken, { clientId: "mcp_another" })).rejects.toEqual(
      refusal("invalid_grant"),
    );
    const next = await refresh(app.refreshToken);
    await expect(refresh(app.refreshToken)).rejects.toEqual(refusal("invalid_grant"));
    await expect(enter(next.accessToken)).rejects.toMatchObject(isRefused);
    await expect(refresh(next.refreshToken)).rejects.toEqual(refusal("invalid_grant"));
    expect(await listConnectedApps(deps, person.caller)).toEqual([]);

    const second = await newApp();
    const { done, refused } = await timesAtOnce(3, () => second.refresh(second.app.refreshToken));
    expect([done.length, refused.length]).toEqual([1, 2]);
    await expect(enter(done[0]?.accessToken ?? "")).rejects.toMatchObject(isRefused);
  });

  it("is refreshed so many times in an hour, without using up the token of the refusal", async () => {
    const { app, refresh } = await newApp();
    const attempts = new MemoryAttempts({ appRefresh: 2 });
    const limited = (refreshToken: string) => refresh(refreshToken, {}, attempts);
    const { refreshToken } = await limited((await limited(app.refreshToken)).refreshToken);
    await expect(limited(refreshToken)).rejects.toMatchObject({ code: "rate_limited" });
    expect(await refresh(refreshToken)).toMatchObject({ scopes: SCOPES });
    // A stolen one ends the grant at any rate.
    await expect(limited(app.refreshToken)).rejects.toEqual(refusal("invalid_grant"));
    expect(attempts.counters).toHaveLength(1);
  });

  it("is not refreshed after 30 days without use", async () => {
    const { app, refresh } = await newApp();
    await ageToken(app.refreshToken, 30 * 24 * 3_600);
    await expect(refresh(app.refreshToken)).rejects.toEqual(refusal("invalid_grant"));
  });

  it.each<[string, (made: Awaited<ReturnType<typeof newApp>>) => Promise<unknown>]>([
    [
      "is disconnected",
      async ({ deps, person }) => {
        const [app] = await listConnectedApps(deps, person.caller);
        await disconnectApp(deps, person.caller, app?.id ?? "", CLIENT);
        await expect(disconnectApp(deps, person.caller, app?.id ?? "", CLIENT)).rejects.toMatchObject({
          code: "not_found",
        });
      },
    ],
    ["is disconnected with all others", ({ deps, person }) => disconnectAllApps(deps, person.caller, CLIENT)],
    [
      "gives its refresh token back",
      ({ deps, app }) => revokeToken(deps, { token: app.refreshToken, clientId: app.clientId }, CLIENT),
    ],
    [
      "has a person with a new password",
      ({ person }) => changeOwnAccount(sessionDeps(db), person.user.id, { password: "another horse" }),
    ],
    [
      "has a person whose password was reset",
      async ({ person }) => {
        const mail = mailing(db);
        await requestPasswordReset(mail.deps, person.user.email, CLIENT);
        const { token } = await mail.linkFor(person.user.email);
        await resetPassword(mail.deps, { token, password: "another horse" }, CLIENT);
      },
    ],
    [
      "has a person whose account is disabled",
      ({ person }) => db.update(users).set({ isActive: false }).where(eq(users.id, person.user.id)),
    ],
    [
      "has a person whose account is deleted",
      ({ person }) => db.delete(users).where(eq(users.id, person.user.id)),
    ],
  ])("ends when it %s", async (_, end) => {
    const made = await newApp();
    await end(made);
    await expect(enter(made.app.accessToken)).rejects.toMatchObject(isRefused);
    await expect(made.refresh(made.app.refreshToken)).rejects.toEqual(refusal("invalid_grant"));
  });

  it("is nothing to another person, and gives no token back for another client", async () => {
    const [{ deps, app, person }, other] = [await newApp(), await newPerson(db)];
    const [own] = await listConnectedApps(deps, person.caller);
    await expect(disconnectApp(deps, other.caller, own?.id ?? "", CLIENT)).rejects.toMatchObject({
      code: "not_found",
    });
    const stolen = revokeToken(deps, { token: app.refreshToken, clientId: "mcp_another" }, CLIENT);
    await expect(stolen).rejects.toEqual(refusal("invalid_client"));
    await revokeToken(deps, { token: "unknown", clientId: undefined }, CLIENT);
    expect(await enter(app.accessToken)).toMatchObject({ userId: person.user.id });
    // Its access token ends alone.
    await revokeToken(deps, { token: app.accessToken, clientId: app.clientId }, CLIENT);
    await expect(enter(app.accessToken)).rejects.toMatchObject(isRefused);
    expect(await listConnectedApps(deps, person.caller)).toHaveLength(1);
  });
});

const ALL = { statuses: null, projectId: null, since: null };
const PAGE = { page: 1, limit: 100 };

/**
 * A person who administers an employer's team besides their own, with a project and a task in each; an app that was allowed in their
 * own team, and a key of that team.
 */
async function newMoonlighter() {
  const [{ user, caller }, employer] = [await newPerson(db), await newColleague(db)];
  await db
    .insert(teamMemberships)
    .values({ teamId: employer.personalTeamId, userId: user.id, role: "admin" });
  const placeIn = async ({ id: projectId }: { id: string }) => ({
    projectId,
    ...(await startTask(startDeps(db), messageToAgent({ userId: user.id, projectId }))),
  });
  const own = await placeIn(await newProject(db, { caller }));
  const employers = await placeIn(await newProject(db, employer));
  const { accessToken } = await connectedApp(appDeps(db), caller);
  const app = await enter(accessToken);
  const { key } = await newApiKey(db, { caller });
  const program = await callerFor({ db }, { userId: user.id, apiKeyId: key.id });
  if (program.kind !== "key") throw new Error("A key is no person");
  return { app, program, own, employers, employer };
}

type Place = Awaited<ReturnType<typeof newMoonlighter>>["own"];

/** Every way to a project that connected apps have over MCP, by which all tools, resources and handles go. */
const WAYS: Readonly<Record<string, (caller: KeyCaller, place: Place) => Promise<unknown>>> = {
  "the project": (caller, { projectId }) => requireProject({ db }, caller, projectId, "file.read"),
  "a task": (caller, { taskId }) => requireOpenTask({ db }, caller, taskId, "chat.send"),
  "a chat": (caller, { chatId }) => requireChat({ db }, caller, chatId, "chat.send"),
  "a new task": ({ userId, keyId: apiKeyId }, { projectId }) =>
    startTask(startDeps(db), messageToAgent({ userId, apiKeyId, projectId })),
  "a message to a chat": ({ userId, keyId: apiKeyId }, { projectId, chatId: id }) =>
    startTask(startDeps(db), messageToAgent({ userId, apiKeyId, projectId, chat: { kind: "named", id } })),
};

/** The projects that the caller lists, and those of its tasks. */
const seen = async (caller: KeyCaller) => ({
  projects: new Set((await listProjects({ db }, caller, {})).map(({ id }) => id)),
  tasks: new Set((await listTasks({ db }, caller, ALL, PAGE)).items.map(({ projectId }) => projectId)),
});

describe("an app that a person has allowed in one team", () => {
  it.each(Object.entries(WAYS))("does not find %s of another team, which a key does", async (_, way) => {
    const { app, program, own, employers } = await newMoonlighter();
    await way(program, employers);
    await expect(way(app, employers)).rejects.toMatchObject({ code: "not_found" });
    await way(app, own);
  });

  it("lists projects and tasks of that team alone, where a key lists those of all teams", async () => {
    const { app, program, own, employers } = await newMoonlighter();
    const [one, both] = [new Set([own.projectId]), new Set([own.projectId, employers.projectId])];
    expect(await seen(app)).toEqual({ projects: one, tasks: one });
    expect(await seen(program)).toEqual({ projects: both, tasks: both });
  });

  it("lists no chat that others share in another team, which a key does", async () => {
    const { app, program, employers, employer } = await newMoonlighter();
    const { projectId } = employers;
    const { chatId } = await startTask(startDeps(db), messageToAgent({ userId: employer.id, projectId }));
    await db.update(chats).set({ isShared: true }).where(eq(chats.id, chatId));
    const shared = async (caller: KeyCaller) =>
      (await listChats({ db }, caller, { limit: 100, offset: 0, withShared: true })).filter(
        ({ id }) => id === chatId,
      );
    expect(await shared(program)).toHaveLength(1);
    expect(await shared(app)).toEqual([]);
  });

  it("is bound to it also where it acts later, as its tasks do", async () => {
    const { app, employers } = await newMoonlighter();
    const later = await callerFor({ db }, { userId: app.userId, apiKeyId: app.keyId });
    await expect(requireProject({ db }, later, employers.projectId, "file.read")).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
