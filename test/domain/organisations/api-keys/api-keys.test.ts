import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditLog, externalApiKeys, teamMemberships } from "#src/db/schema/index.ts";
import { authenticateKey } from "#src/domain/organisations/access/index.ts";
import {
  createApiKey,
  listGrantableScopes,
  revokeApiKey,
  type KeyWish,
} from "#src/domain/organisations/api-keys/index.ts";
import { createProject, requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { openDatabase } from "#test/support/database.ts";
import { CLIENT, newPerson } from "#test/support/people.ts";

const secrets = createSecrets("a-secret-key-for-tests-of-32-characters");
const anything: KeyWish = { name: "key", scopes: null, projectIds: null, expiresAt: null };

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database.close();
});

type Person = Awaited<ReturnType<typeof newPerson>>;

const create = (person: Person, wish: Partial<KeyWish> = {}) =>
  createApiKey({ ...database, secrets }, person.caller, { ...anything, ...wish }, CLIENT);

/** Revoke, and what was put on the queue by it. */
async function revoke(person: Person, keyId: string) {
  const published: QueueMessage[] = [];
  const queue = {
    publishBatch: async (messages: readonly QueueMessage[]) => void published.push(...messages),
  };
  const outcome = await revokeApiKey({ db: database.db, queue }, person.user.id, keyId, CLIENT).catch(
    (error: unknown) => error,
  );
  return { outcome, published };
}

describe("a new key", () => {
  it("authenticates its owner in the owner's team, and is stored as a hash", async () => {
    const person = await newPerson(database.db);
    const { key, token } = await create(person);
    expect(token).toMatch(/^tsk_[0-9a-f]{32}$/u);
    expect(key.keyPrefix).toBe(token.slice(0, 8));
    expect(await authenticateKey(database, token)).toMatchObject({
      keyId: key.id,
      userId: person.user.id,
      teamId: person.user.defaultTeamId,
      projectIds: null,
    });
    const [row] = await database.db.select().from(externalApiKeys).where(eq(externalApiKeys.id, key.id));
    expect(JSON.stringify(row)).not.toContain(token);
  });

  it("keeps its webhook secret encrypted", async () => {
    const { key, webhookSecret } = await create(await newPerson(database.db));
    expect(webhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u);
    expect(key.webhookSecretEncrypted).not.toContain(webhookSecret);
    expect(await secrets.decrypt(key.webhookSecretEncrypted)).toBe(webhookSecret);
  });

  it("is bound only to projects that its maker reaches", async () => {
    const [person, stranger] = [await newPerson(database.db), await newPerson(database.db)];
    const wish = { name: "app", description: "", sourceType: "empty" } as const;
    const own = await createProject(database, person.caller, wish);
    const foreign = await createProject(database, stranger.caller, wish);
    expect((await create(person, { projectIds: [own.id] })).key).toMatchObject({
      scope: "project",
      projectIds: [own.id],
    });
    for (const projectIds of [[foreign.id], [own.id, foreign.id], [crypto.randomUUID()]]) {
      await expect(create(person, { projectIds })).rejects.toMatchObject({
        code: "not_found",
        message: "Project not found",
      });
    }
  });

  it("bound to a project of another of its maker's teams is of that team, with what the maker's role grants there", async () => {
    const [person, owner] = [await newPerson(database.db), await newPerson(database.db)];
    const wish = { name: "app", description: "", sourceType: "empty" } as const;
    const own = await createProject(database, person.caller, wish);
    const shared = await createProject(database, owner.caller, wish);
    await database.db
      .insert(teamMemberships)
      .values({ teamId: shared.teamId, userId: person.user.id, role: "viewer" });
    expect((await create(person, { projectIds: [shared.id] })).key.teamId).toBe(shared.teamId);
    await expect(create(person, { projectIds: [shared.id], scopes: ["chat.send"] })).rejects.toMatchObject({
      message: "Scope 'chat.send' exceeds your role's permissions (role: viewer)",
    });
    const { key, token } = await create(person, { projectIds: [own.id, shared.id] });
    expect(key.teamId).toBe(person.user.defaultTeamId);
    const caller = await authenticateKey(database, token);
    for (const { id } of [own, shared]) {
      expect(await requireProject(database, caller, id, "project.view")).toMatchObject({ id });
    }
  });

  it("cannot have a permission its maker's role has not", async () => {
    const person = await newPerson(database.db);
    await database.db
      .update(teamMemberships)
      .set({ role: "viewer" })
      .where(eq(teamMemberships.userId, person.user.id));
    await expect(create(person, { scopes: ["chat.view", "chat.send"] })).rejects.toMatchObject({
      code: "forbidden",
      message: "Scope 'chat.send' exceeds your role's permissions (role: viewer)",
    });
    const grantable = await listGrantableScopes(database, person.caller);
    expect(grantable.map(({ value }) => value)).toContain("chat.view");
    expect(grantable.map(({ value }) => value)).not.toContain("chat.send");
  });
});

describe("a revoked key", () => {
  it("no longer authenticates, keeps no hash, and has its tasks ended", async () => {
    const person = await newPerson(database.db);
    const { key, token } = await create(person);
    const { outcome, published } = await revoke(person, key.id);
    expect(outcome).toBeUndefined();
    expect(published).toEqual([{ function: "stop-tasks", payload: { keyId: key.id } }]);
    await expect(authenticateKey(database, token)).rejects.toMatchObject({ code: "unauthenticated" });
    const [row] = await database.db.select().from(externalApiKeys).where(eq(externalApiKeys.id, key.id));
    expect(row).toMatchObject({ isActive: false, keyHash: null, revokedAt: expect.any(Date) });
  });

  it("is in its team's log, made once and revoked once, without anything secret", async () => {
    const person = await newPerson(database.db);
    const { key, token, webhookSecret } = await create(person, { scopes: ["chat.send"] });
    await revoke(person, key.id);
    await revoke(person, key.id);
    const log = await database.db.select().from(auditLog).where(eq(auditLog.resourceId, key.id));
    expect(log.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toMatchObject([
      {
        action: "api_key.created",
        userId: person.user.id,
        teamId: key.teamId,
        details: { name: "key", key_prefix: key.keyPrefix, scopes: ["chat.send"], project_ids: null },
      },
      { action: "api_key.revoked", userId: person.user.id, teamId: key.teamId },
    ]);
    expect(JSON.stringify(log)).not.toContain(token);
    expect(JSON.stringify(log)).not.toContain(webhookSecret);
  });

  it("cannot be revoked again, but its tasks are sent for again", async () => {
    const person = await newPerson(database.db);
    const { key } = await create(person);
    await revoke(person, key.id);
    const { outcome, published } = await revoke(person, key.id);
    expect(outcome).toMatchObject({ code: "invalid_input", message: "API key is already deactivated" });
    expect(published).toHaveLength(1);
  });

  it("is found by its owner only, and not under a name that is no id", async () => {
    const [person, stranger] = [await newPerson(database.db), await newPerson(database.db)];
    const { key, token } = await create(person);
    for (const [who, id] of [
      [stranger, key.id],
      [person, "scopes\0"],
    ] as const) {
      const { outcome, published } = await revoke(who, id);
      expect(outcome).toMatchObject({ code: "not_found", message: "API key not found" });
      expect(published).toEqual([]);
    }
    await expect(authenticateKey(database, token)).resolves.toBeDefined();
  });
});
