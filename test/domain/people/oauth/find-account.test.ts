import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  authenticators,
  auditLog,
  channelConfigs,
  deploymentCredentials,
  externalApiKeys,
  gitConnections,
  loginAttempts,
  mailedTokens,
  mcpServers,
  oauthAccounts,
  passkeys,
  pairingTokens,
  platformIdentities,
  projectMemberships,
  projects,
  teamInvitations,
  teamMemberships,
  teams,
  userApiKeys,
  userProviders,
  users,
} from "#src/db/schema/index.ts";
import { NO_RULES } from "#src/domain/agent-work/mcp/rules.ts";
import { acceptInvitationRow } from "#src/domain/organisations/invitations/queries.ts";
import { insertProjectMember } from "#src/domain/workspaces/projects/queries/members.ts";
import { startSession } from "#src/domain/access/sessions/index.ts";
import { findAccount, type Identity } from "#src/domain/people/oauth/find-account.ts";
import { newToken } from "#src/lib/random-token.ts";
import { newId } from "#src/lib/ids.ts";
import { newProject, rolesOf } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { holdOpen, onlyEmbedded, untilWaiting } from "#test/support/held-open.ts";
import { CLIENT, newPerson, sessionDeps } from "#test/support/people.ts";
import { keptQueue } from "#test/support/kept-queue.ts";

const database = await fileDatabase();
const { db } = database;

const deps = () => ({ ...sessionDeps(db), ...keptQueue() });

const identity = (email: string | undefined, change: Partial<Identity> = {}): Identity => ({
  provider: "github",
  accountId: crypto.randomUUID(),
  ...(email !== undefined && { email }),
  ...change,
});

/** In production, where ADMIN_EMAIL names these addresses. */
const findNamed = (who: Identity, ...addresses: string[]) => {
  const config = { ...deps().config, ENVIRONMENT: "production" as const, ADMIN_EMAIL: addresses };
  return findAccount({ ...deps(), config }, who, CLIENT);
};
const find = (who: Identity) => findAccount(deps(), who, CLIENT);
const newEmail = () => `${crypto.randomUUID()}@example.com`;
const soon = () => new Date(Date.now() + 60_000);

/** A person with an account whose address was never proved, and with every way in that such a person can keep. */
async function squatter() {
  const { user } = await newPerson(db, "squatter");
  const { user: friend } = await newPerson(db, "friend");
  const teamId = user.defaultTeamId ?? "";
  const [userId, friendId] = [user.id, friend.id];
  const project = { id: newId(), teamId, ownerId: userId, name: "p", slug: newId() };
  const token = () => ({ id: newId(), userId, tokenHash: newToken().hash, expiresAt: soon() });
  const key = (owner: string) => ({
    id: newId(),
    userId: owner,
    teamId,
    name: "key",
    keyHash: newToken().hash,
    keyPrefix: "tsk_aaaa",
    scope: "team" as const,
    webhookSecretEncrypted: "-",
  });
  const link = { ...token(), teamId, kind: "link", role: "admin", invitedBy: userId } as const;
  const { email } = user;
  const own = () => ({ id: newId(), userId });
  const channel = { ...own(), channelType: "slack", name: "Bot" } as const;
  const inChannel = { channelConfigId: channel.id };
  const sealed = { encryptedToken: "-", authType: "personal_access_token" } as const;
  const models = { name: "Own", slug: "own", baseUrl: "https://models.example", apiType: "openai" } as const;
  const server = {
    name: "tracker",
    url: "https://mcp.example/",
    auth: "none",
    state: "connected",
    rules: NO_RULES,
  } as const;
  await db.batch([
    db.insert(teamMemberships).values({ teamId, userId: friendId, role: "admin" }),
    db.insert(projects).values({ ...project, sourceType: "empty", status: "running" }),
    db.insert(projectMemberships).values({ projectId: project.id, userId: friendId, role: "admin" }),
    db.insert(externalApiKeys).values([key(userId), key(friendId)]),
    db.insert(pairingTokens).values({ ...token(), scopes: [] }),
    db.insert(loginAttempts).values({ ...token(), codeHash: "-", codeExpiresAt: soon() }),
    db.insert(mailedTokens).values({ ...token(), purpose: "password_reset", email }),
    db.insert(oauthAccounts).values({ ...token(), provider: "google", accountId: userId, email: "other@x" }),
    db.insert(teamInvitations).values(link),
    db.insert(channelConfigs).values({ ...channel, encryptedCredentials: "-", encryptedWebhookSecret: "-" }),
    db
      .insert(platformIdentities)
      .values({ ...own(), platform: "slack", platformUserId: userId, ...inChannel }),
    db.insert(gitConnections).values({ ...own(), provider: "github", ...sealed }),
    db.insert(deploymentCredentials).values({ ...own(), provider: "netlify", ...sealed, authType: "token" }),
    db.insert(userApiKeys).values({ ...own(), provider: "openai", keyName: "key", encryptedValue: "-" }),
    db.insert(userProviders).values({ ...own(), ...models }),
    db.insert(authenticators).values({ ...own(), encryptedSecret: "-", confirmedAt: sql`now()` }),
    db
      .insert(passkeys)
      .values({ ...own(), name: "k", credentialId: userId, publicKey: "-", counter: 0, isBackedUp: false }),
    db.insert(mcpServers).values({ ...own(), scope: "person", ...server }),
    db.insert(mcpServers).values({ id: newId(), teamId, scope: "team", ...server }),
    db.insert(mcpServers).values({ id: newId(), projectId: project.id, scope: "project", ...server }),
    db.update(users).set({ defaultTeamId: friend.defaultTeamId }).where(eq(users.id, userId)),
  ]);
  return { user, friendId, teamId, projectId: project.id };
}

/** How many ways into the account are left, by kind. */
async function waysInto({ user, friendId, teamId, projectId }: Awaited<ReturnType<typeof squatter>>) {
  const { rows } = await db.execute(sql`
    SELECT
      (SELECT count(*)::int FROM users WHERE id = ${user.id}::uuid AND password_hash IS NOT NULL) AS passwords,
      (SELECT count(*)::int FROM users WHERE id = ${user.id}::uuid AND default_team_id <> ${teamId}::uuid) AS strange_teams,
      (SELECT count(*)::int FROM sessions WHERE user_id = ${user.id}::uuid AND ended_at IS NULL) AS sessions,
      (SELECT count(*)::int FROM login_attempts WHERE user_id = ${user.id}::uuid AND used_at IS NULL) AS logins,
      (SELECT count(*)::int FROM mailed_tokens WHERE user_id = ${user.id}::uuid AND used_at IS NULL) AS mailed,
      (SELECT count(*)::int FROM pairing_tokens WHERE user_id = ${user.id}::uuid AND used_at IS NULL) AS pairings,
      (SELECT count(*)::int FROM external_api_keys WHERE team_id = ${teamId}::uuid AND (is_active OR key_hash IS NOT NULL)) AS keys,
      (SELECT count(*)::int FROM oauth_accounts WHERE user_id = ${user.id}::uuid AND provider = 'google') AS links,
      (SELECT count(*)::int FROM team_invitations WHERE team_id = ${teamId}::uuid AND revoked_at IS NULL) AS invitations,
      (SELECT count(*)::int FROM platform_identities WHERE user_id = ${user.id}::uuid) AS identities,
      (SELECT count(*)::int FROM git_connections WHERE user_id = ${user.id}::uuid) AS git_hosts,
      (SELECT count(*)::int FROM deployment_credentials WHERE user_id = ${user.id}::uuid) AS hosting,
      (SELECT count(*)::int FROM user_api_keys WHERE user_id = ${user.id}::uuid AND is_active) AS model_keys,
      (SELECT count(*)::int FROM user_providers WHERE user_id = ${user.id}::uuid AND is_active) AS models,
      (SELECT count(*)::int FROM authenticators WHERE user_id = ${user.id}::uuid) AS apps,
      (SELECT count(*)::int FROM passkeys WHERE user_id = ${user.id}::uuid) AS passkeys,
      (SELECT count(*)::int FROM mcp_servers WHERE user_id = ${user.id}::uuid) AS own_servers,
      (SELECT count(*)::int FROM mcp_servers WHERE team_id = ${teamId}::uuid) AS team_servers,
      (SELECT count(*)::int FROM mcp_servers WHERE project_id = ${projectId}::uuid) AS project_servers,
      (SELECT count(*)::int FROM team_memberships WHERE team_id = ${teamId}::uuid AND user_id = ${friendId}::uuid) AS members,
      (SELECT count(*)::int FROM project_memberships WHERE project_id = ${projectId}::uuid) AS project_roles
  `);
  return rows[0] ?? {};
}

describe("an account whose address was never proved", () => {
  it("is given to the owner of the address with every other way into it closed", async () => {
    const squatted = await squatter();
    expect(Object.values(await waysInto(squatted))).not.toContain(0);
    const { published, ...own } = deps();
    const found = await findAccount(own, identity(squatted.user.email), CLIENT);
    expect(found).toMatchObject({ user: { id: squatted.user.id } });
    expect(new Set(Object.values(await waysInto(squatted)))).toEqual(new Set([0]));
    expect(published.map((each) => each.function)).toEqual(["stop-tasks", "stop-tasks"]);
    const [user] = await db.select().from(users).where(eq(users.id, squatted.user.id));
    expect(user).toMatchObject({ isVerified: true, defaultTeamId: squatted.teamId });
    expect(await rolesOf(db, squatted.teamId)).toEqual({ [squatted.user.id]: "admin" });
  });

  it.each<[string, Partial<typeof users.$inferInsert>, boolean, object]>([
    ["was proved meanwhile", { isVerified: true }, true, { user: {} }],
    ["was disabled", { isActive: false }, true, { refusal: "LOGIN_BAD_CREDENTIALS" }],
    ["is asked for by an unverified address", {}, false, { refusal: "OAUTH_NOT_AVAILABLE_EMAIL" }],
  ])("is not touched when it %s", async (_, change, isVouchedFor, outcome) => {
    const squatted = await squatter();
    await db
      .update(users)
      .set({ name: "Ann", ...change })
      .where(eq(users.id, squatted.user.id));
    const before = await waysInto(squatted);
    const { email } = squatted.user;
    expect(await find(identity(isVouchedFor ? email : undefined))).toMatchObject(outcome);
    expect(await waysInto(squatted)).toEqual(before);
  });

  it("is signed in to from a blocked domain, where no account is made any more", async () => {
    const squatted = await squatter();
    const blocking = { ...deps(), config: { ...deps().config, BLOCKED_EMAIL_DOMAINS: ["example.com"] } };
    expect(await findAccount(blocking, identity(squatted.user.email), CLIENT)).toMatchObject({
      user: { id: squatted.user.id },
    });
    expect(await findAccount(blocking, identity("another@example.com"), CLIENT)).toEqual({
      refusal: "EMAIL_DOMAIN_NOT_ALLOWED",
    });
  });

  it("leaves those who are out of its team in their own", async () => {
    const { user, friendId, teamId } = await squatter();
    await db.update(users).set({ defaultTeamId: teamId }).where(eq(users.id, friendId));
    await find(identity(user.email));
    const caller = { kind: "user", userId: friendId, sessionId: newId(), isSuperuser: false } as const;
    const made = await newProject(db, { caller });
    const [own] = await db.select().from(teams).where(eq(teams.id, made.teamId));
    expect(own).toMatchObject({ createdBy: friendId, isPersonal: true });
  });

  it.skipIf(onlyEmbedded())("removes a person who was accepting an invitation meanwhile", async () => {
    const squatted = await squatter();
    const { user: accomplice } = await newPerson(db, "accomplice");
    const ofTeam = eq(teamInvitations.teamId, squatted.teamId);
    const [invitation] = await db.select().from(teamInvitations).where(ofTeam);
    const held = await holdOpen(db, db.select().from(teamInvitations).where(ofTeam).for("update"));
    const accepting = acceptInvitationRow(database, invitation?.tokenHash ?? "", accomplice.id);
    await untilWaiting(db, 1);
    const finding = find(identity(squatted.user.email));
    await untilWaiting(db, 2);
    await held.release();
    expect((await accepting).joined).toBeDefined();
    await finding;
    expect(await rolesOf(db, squatted.teamId)).toEqual({ [squatted.user.id]: "admin" });
  });

  it.skipIf(onlyEmbedded())("keeps no role in a project that was being given meanwhile", async () => {
    const squatted = await squatter();
    const { projectId, teamId, friendId: userId } = squatted;
    await db.delete(projectMemberships).where(eq(projectMemberships.projectId, projectId));
    const role = { projectId, userId, role: "viewer" as const };
    const held = await holdOpen(db, db.insert(projectMemberships).values(role));
    const giving = insertProjectMember(db, { id: projectId, teamId }, { userId, email: null }, "admin");
    await untilWaiting(db, 1);
    const finding = find(identity(squatted.user.email));
    await untilWaiting(db, 2);
    await held.release();
    expect(await giving).toMatchObject({ added: true });
    await finding;
    expect(await waysInto(squatted)).toMatchObject({ members: 0, project_roles: 0 });
  });

  it("leaves no session that was opened while it changed hands", async () => {
    const squatted = await squatter();
    const signIn = () => startSession(sessionDeps(db), squatted.user, CLIENT, "password");
    await Promise.allSettled([
      ...Array.from({ length: 4 }, signIn),
      find(identity(squatted.user.email)),
      ...Array.from({ length: 4 }, signIn),
    ]);
    expect(await waysInto(squatted)).toMatchObject({ passwords: 0, sessions: 0 });
  });
});

describe("in production, an address of ADMIN_EMAIL that a provider vouches for", () => {
  it("makes a new account an administrator", async () => {
    const [named, other] = [newEmail(), newEmail()];
    expect(await findNamed(identity(named), named)).toMatchObject({ user: { isSuperuser: true } });
    expect(await findNamed(identity(other), named)).toMatchObject({ user: { isSuperuser: false } });
  });

  it("makes an account one that changes hands, and none that its maker still holds", async () => {
    const squatted = (await squatter()).user;
    const { user: proved } = await newPerson(db, "proved");
    await db.update(users).set({ isVerified: true }).where(eq(users.id, proved.id));
    const named = [squatted.email, proved.email];
    expect(await findNamed(identity(squatted.email), ...named)).toMatchObject({
      user: { id: squatted.id, isSuperuser: true },
    });
    expect(await findNamed(identity(proved.email), ...named)).toMatchObject({
      user: { id: proved.id, isSuperuser: false },
    });
  });
});

describe("an identity at a provider", () => {
  it("gets one account from two providers at once", async () => {
    const email = newEmail();
    const both = (["github", "google"] as const).map((provider) => identity(email, { provider }));
    const found = await Promise.all([...both, ...both, ...both].map(find));
    expect(new Set(found.map((each) => "user" in each && each.user.id)).size).toBe(1);
    const links = await db.select().from(oauthAccounts).where(eq(oauthAccounts.email, email));
    expect(new Set(links.map(({ provider }) => provider))).toEqual(new Set(["github", "google"]));
    const mine = eq(auditLog.userId, links[0]?.userId ?? "");
    const actions = (await db.select().from(auditLog).where(mine)).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(["oauth.account_created", "oauth.linked"]));
  });

  it("is found again by the account there, whatever has become of the address", async () => {
    const who = identity(newEmail());
    const first = await find(who);
    const same = { user: { id: "user" in first && first.user.id } };
    await db
      .update(users)
      .set({ email: newEmail() })
      .where(eq(users.email, who.email ?? ""));
    expect(await find({ ...who, email: newEmail() })).toMatchObject(same);
    const { email: _, ...nameless } = who;
    expect(await find(nameless)).toMatchObject(same);
  });
});
