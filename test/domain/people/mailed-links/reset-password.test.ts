import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  channelConfigs,
  auditLog,
  deploymentCredentials,
  gitConnections,
  mailedTokens,
  oauthAccounts,
  platformIdentities,
  teamMemberships,
  userApiKeys,
  userProviders,
  users,
} from "#src/db/schema/index.ts";
import { authenticateKey, authenticateUser } from "#src/domain/organisations/access/index.ts";
import { logIn } from "#src/domain/people/accounts/index.ts";
import { createApiKey } from "#src/domain/organisations/api-keys/index.ts";
import {
  requestPasswordReset,
  requestVerification,
  resetPassword,
} from "#src/domain/people/mailed-links/index.ts";
import { redeemReset } from "#src/domain/people/mailed-links/queries.ts";
import { startSession } from "#src/domain/people/sessions/index.ts";
import { requestCode, verifyCode } from "#src/domain/people/two-factor/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { openDatabase } from "#test/support/database.ts";
import { mailing } from "#test/support/mailbox.ts";
import { changeOwnAccount, CLIENT, newPerson, PASSWORD, sessionDeps } from "#test/support/people.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let mail: ReturnType<typeof mailing>;
beforeAll(async () => {
  database = await openDatabase();
});
beforeEach(() => {
  mail = mailing(database.db);
});
afterAll(async () => {
  await database.close();
});

const NEW = "another horse";

async function linkFor(email: string): Promise<string> {
  await requestPasswordReset(mail.deps, email, CLIENT);
  return (await mail.linkFor(email)).token;
}

/** A person with a link that was mailed. */
async function forgetful() {
  const person = await newPerson(database.db);
  return { ...person, token: await linkFor(person.user.email) };
}

const reset = (token: string, password = NEW) => resetPassword(mail.deps, { token, password }, CLIENT);
const logsIn = (identifier: string, password: string) =>
  logIn(
    { ...mail.deps, config: { ...mail.deps.config, TWO_FA_ENABLED: false } },
    { identifier, password },
    CLIENT,
  )
    .then(() => true)
    .catch(() => false);
const rowOf = (token: string) => eq(mailedTokens.tokenHash, sha256Hex(token));
const linksOf = (userId: string, purpose: "password_reset" | "email_verification") =>
  database.db
    .select()
    .from(mailedTokens)
    .where(and(eq(mailedTokens.userId, userId), eq(mailedTokens.purpose, purpose)));

const BAD_TOKEN = expect.objectContaining({ code: "invalid_input", message: "RESET_PASSWORD_BAD_TOKEN" });

describe("a link for a new password", () => {
  it("sets it, proves the address, and is noted", async () => {
    const { user, token } = await forgetful();
    await reset(token);
    expect([await logsIn(user.email, PASSWORD), await logsIn(user.email, NEW)]).toEqual([false, true]);
    const [row] = await database.db.select().from(users).where(eq(users.id, user.id));
    expect(row?.isVerified).toBe(true);
    const noted = await database.db.select().from(auditLog).where(eq(auditLog.userId, user.id));
    expect(noted.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["password.reset_requested", "password.reset"]),
    );
    expect(JSON.stringify(noted)).not.toContain(token);
  });

  it("leads to the console, for an hour, and is stored as its hash", async () => {
    const { user } = await newPerson(database.db);
    const deps = { ...mail.deps, config: { ...mail.deps.config, APP_BASE_URL: "https://console.test/" } };
    await requestPasswordReset(deps, user.email.toUpperCase(), CLIENT);
    const { url, token } = await mail.linkFor(user.email);
    expect(url).toBe(`https://console.test/reset-password?token=${token}`);
    const [row] = await database.db.select().from(mailedTokens).where(rowOf(token));
    const life = (row?.expiresAt.getTime() ?? 0) - (row?.createdAt.getTime() ?? 0);
    expect(life).toBe(3_600_000);
    expect(JSON.stringify(row)).not.toContain(token);
  });

  it("ends every session, login that waits for a code and other link", async () => {
    const { user, session, token } = await forgetful();
    const other = await startSession(mail.deps, user, CLIENT, "github");
    const second = await linkFor(user.email);
    const login = await requestCode(mail.deps, user, CLIENT);
    const code = await mail.codeFor(user.email);
    await reset(token);
    for (const { accessToken } of [session, other]) {
      expect(await authenticateUser(mail.deps, accessToken)).toBeUndefined();
    }
    await expect(reset(second, "a third horse")).rejects.toEqual(BAD_TOKEN);
    await expect(
      verifyCode(mail.deps, { tempToken: login?.tempToken ?? "", code }, CLIENT),
    ).rejects.toMatchObject({ message: "Invalid or expired verification session" });
    expect(await logsIn(user.email, NEW)).toBe(true);
  });

  it("of an unproved address removes every person and key that the account's maker let in", async () => {
    const { user, caller, token } = await forgetful();
    const deps = { ...database, secrets: mail.deps.secrets };
    const wish = { name: "key", scopes: null, projectIds: null, expiresAt: null };
    const key = await createApiKey(deps, caller, wish, CLIENT);
    const { user: friend } = await newPerson(database.db);
    const teamId = user.defaultTeamId ?? "";
    await database.db.insert(teamMemberships).values({ teamId, userId: friend.id, role: "admin" });
    await database.db.insert(oauthAccounts).values({
      id: newId(),
      userId: user.id,
      provider: "github",
      accountId: newId(),
      email: "maker@example.com",
    });
    mail.published.splice(0);
    await reset(token);
    await expect(authenticateKey(database, key.token)).rejects.toMatchObject({ code: "unauthenticated" });
    const members = await database.db
      .select()
      .from(teamMemberships)
      .where(eq(teamMemberships.teamId, teamId));
    expect(members.map(({ userId }) => userId)).toEqual([user.id]);
    const linked = await database.db.select().from(oauthAccounts).where(eq(oauthAccounts.userId, user.id));
    expect(linked).toEqual([]);
    const ended = mail.published.filter((message) => message.function === "stop-tasks");
    expect(ended).toEqual([{ function: "stop-tasks", payload: { keyId: key.key.id } }]);
  });

  it("of an unproved address ends what its maker left to work, to write in and to be read by", async () => {
    const { db } = database;
    const { user, token } = await forgetful();
    const userId = user.id;
    const sealed = { encryptedToken: "sealed", authType: "personal_access_token" } as const;
    const channel = { id: newId(), userId, channelType: "slack", name: "Bot" } as const;
    await db
      .insert(channelConfigs)
      .values({ ...channel, encryptedCredentials: "-", encryptedWebhookSecret: "-" });
    await db.insert(platformIdentities).values({
      id: newId(),
      userId,
      platform: "slack",
      platformUserId: userId,
      channelConfigId: channel.id,
    });
    await db.insert(gitConnections).values({ id: newId(), userId, provider: "github", ...sealed });
    await db
      .insert(deploymentCredentials)
      .values({ id: newId(), userId, provider: "netlify", authType: "token", encryptedToken: "sealed" });
    await db
      .insert(userApiKeys)
      .values({ id: newId(), userId, provider: "openai", keyName: "key", encryptedValue: "sealed" });
    const own = { name: "Own", slug: "own", baseUrl: "https://models.example", apiType: "openai" } as const;
    await db.insert(userProviders).values({ id: newId(), userId, ...own });
    await reset(token);
    const left = await Promise.all(
      [platformIdentities, gitConnections, deploymentCredentials, userApiKeys, userProviders].map((table) =>
        db.$count(
          table,
          and(eq(table.userId, userId), "isActive" in table ? sql`${table.isActive}` : undefined),
        ),
      ),
    );
    expect(left).toEqual([0, 0, 0, 0, 0]);
  });

  it("of a proved address lets keys go on", async () => {
    const { user, caller, token } = await forgetful();
    await database.db.update(users).set({ isVerified: true }).where(eq(users.id, user.id));
    const wish = { name: "key", scopes: null, projectIds: null, expiresAt: null };
    const deps = { ...database, secrets: mail.deps.secrets };
    const key = await createApiKey(deps, caller, wish, CLIENT);
    await reset(token);
    expect(await authenticateKey(database, key.token)).toMatchObject({ keyId: key.key.id });
  });

  it("works once of eight times at once", async () => {
    const { user, token } = await forgetful();
    const passwords = Array.from({ length: 8 }, (_, index) => `horse number ${index}`);
    const outcomes = await Promise.allSettled(passwords.map((password) => reset(token, password)));
    const won = passwords.filter((_, index) => outcomes[index]?.status === "fulfilled");
    expect(won).toHaveLength(1);
    const reasons = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(reasons).toEqual(Array.from({ length: 7 }, () => BAD_TOKEN));
    expect(await logsIn(user.email, won[0] ?? "")).toBe(true);
    const noted = await database.db.select().from(auditLog).where(eq(auditLog.userId, user.id));
    expect(noted.filter(({ action }) => action === "password.reset")).toHaveLength(1);
    await expect(reset(token)).rejects.toEqual(BAD_TOKEN);
  });

  it("that lost a race changes nothing and ends nothing", async () => {
    const { user, token } = await forgetful();
    await reset(token);
    const session = await startSession(mail.deps, { id: user.id, isSuperuser: false }, CLIENT, "password");
    const late = { tokenHash: sha256Hex(token), userId: user.id, passwordHash: "late" };
    const entry = { userId: user.id, action: "password.reset", resourceType: "user" };
    expect(await redeemReset(sessionDeps(database.db), late, entry)).toEqual({
      redeemed: false,
      revokedKeys: [],
    });
    expect(await authenticateUser(mail.deps, session.accessToken)).toBeDefined();
    expect(await logsIn(user.email, NEW)).toBe(true);
    const noted = await database.db.select().from(auditLog).where(eq(auditLog.userId, user.id));
    expect(noted.filter(({ action }) => action === "password.reset")).toHaveLength(1);
  });

  it("leaves no session that was being opened with the old password", async () => {
    const { user, token } = await forgetful();
    const config = { ...mail.deps.config, TWO_FA_ENABLED: false };
    const credentials = { identifier: user.email, password: PASSWORD };
    const logins = Array.from({ length: 8 }, () => logIn({ ...mail.deps, config }, credentials, CLIENT));
    const [outcomes] = await Promise.all([Promise.allSettled(logins), reset(token)]);
    const opened = outcomes.flatMap((each) =>
      each.status === "fulfilled" && "session" in each.value ? [each.value.session] : [],
    );
    const callers = await Promise.all(
      opened.map(({ accessToken }) => authenticateUser(mail.deps, accessToken)),
    );
    expect(callers.filter((caller) => caller !== undefined)).toEqual([]);
  });

  it("is still good after a password was refused, of the account's names too", async () => {
    const { user, token } = await forgetful();
    for (const [password, sentence] of [
      ["12345", "at least 8"],
      [user.email, "email address"],
      [user.username, "username"],
    ] as const) {
      await expect(reset(token, password)).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining(sentence),
      });
    }
    await reset(token);
    expect(await logsIn(user.email, NEW)).toBe(true);
  });

  it("is void after an hour", async () => {
    const { token } = await forgetful();
    const past = sql`now() - interval '1 second'`;
    await database.db.update(mailedTokens).set({ expiresAt: past }).where(rowOf(token));
    await expect(reset(token)).rejects.toEqual(BAD_TOKEN);
  });

  it("is void for an account that is not active, or has another address or password by now", async () => {
    for (const change of [
      (id: string) => database.db.update(users).set({ isActive: false }).where(eq(users.id, id)),
      (id: string) => changeOwnAccount(mail.deps, id, { email: `${id}@example.com` }),
      (id: string) => changeOwnAccount(mail.deps, id, { password: "a third horse" }),
    ]) {
      const { user, token } = await forgetful();
      await change(user.id);
      await expect(reset(token)).rejects.toEqual(BAD_TOKEN);
    }
  });

  it("must be one of ours, and none that proves an address", async () => {
    for (const token of ["", "garbage", "x".repeat(1000)])
      await expect(reset(token)).rejects.toEqual(BAD_TOKEN);
    const { user } = await newPerson(database.db);
    await requestVerification(mail.deps, user.email, CLIENT);
    const { token } = await mail.linkFor(user.email);
    await expect(reset(token)).rejects.toEqual(BAD_TOKEN);
  });
});

describe("asking for a link", () => {
  it("does the same for an address without an account, and mails nothing", async () => {
    const { user } = await newPerson(database.db);
    await requestPasswordReset(mail.deps, "nobody@example.com", CLIENT);
    await requestPasswordReset(mail.deps, user.email, CLIENT);
    const sizes = mail.published.map((message) => JSON.stringify(message).length);
    expect(sizes).toHaveLength(2);
    expect(sizes[0]).toBe(sizes[1]);
    expect(await mail.mailTo("nobody@example.com")).toBeUndefined();
    expect(mail.sent.map(({ to }) => to)).toEqual([user.email]);
  });

  it("mails nothing to an account that is not active", async () => {
    const { user } = await newPerson(database.db);
    await database.db.update(users).set({ isActive: false }).where(eq(users.id, user.id));
    await requestPasswordReset(mail.deps, user.email, CLIENT);
    expect(await mail.mailTo(user.email)).toBeUndefined();
  });

  it("fails alike for every address while the mail server is away, and mails later", async () => {
    const { user } = await newPerson(database.db);
    mail.server.answers = false;
    const refusals = await Promise.all(
      [user.email, "nobody@example.com"].map((email) =>
        requestPasswordReset(mail.deps, email, CLIENT).catch((error: unknown) => error),
      ),
    );
    expect(refusals[0]).toMatchObject({ code: "unavailable" });
    expect(refusals[1]).toEqual(refusals[0]);
    mail.server.answers = true;
    expect((await mail.linkFor(user.email)).token).toMatch(/^[\w-]{64}$/u);
  });

  it("is refused without a mail server", async () => {
    const { user } = await newPerson(database.db);
    const deps = { ...mail.deps, mailer: { ...mail.deps.mailer, configured: false } };
    for (const email of [user.email, "nobody@example.com"]) {
      await expect(requestPasswordReset(deps, email, CLIENT)).rejects.toMatchObject({
        code: "unavailable",
        message: "Email is not configured on this installation",
      });
    }
    expect(await linksOf(user.id, "password_reset")).toEqual([]);
  });

  it("keeps links that were mailed before good", async () => {
    const { user, token } = await forgetful();
    await linkFor(user.email);
    await reset(token);
    expect((await linksOf(user.id, "password_reset")).every(({ usedAt }) => usedAt !== null)).toBe(true);
  });
});
