import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { verifyCallback } from "@agent-workspace/client/webhooks";
import { externalApiKeys, teamMemberships } from "#src/db/schema/index.ts";
import { authenticateKey } from "#src/domain/access/permissions/index.ts";
import {
  type KeyInput,
  listGrantableScopes,
  revokeApiKey,
  rotateWebhookSecret,
} from "#src/domain/programs/api-keys/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { sendNotice } from "#src/domain/agent-work/callbacks/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
import { newApiKey } from "#test/domain/programs/support/new-api-key.ts";
import { newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT, newPerson } from "#test/support/people.ts";
import { storeTask } from "#test/support/stored-task.ts";

const secrets = createSecrets("a-secret-key-for-tests-of-32-characters");
const EXCEEDS = "Scope 'chat.send' exceeds your role's permissions (role: viewer)";

const database = await fileDatabase();
const { db } = database;

type Person = Awaited<ReturnType<typeof newPerson>>;

const create = (person: Person, input?: Partial<KeyInput>) => newApiKey(db, person, input);

/** Revoke, and what was put on the queue by it. */
async function revoke(person: Person, keyId: string) {
  const published: QueueMessage[] = [];
  const publishBatch = async (messages: readonly QueueMessage[]) => void published.push(...messages);
  const revoked = revokeApiKey({ db, queue: { publishBatch } }, person.user.id, keyId, CLIENT);
  return { outcome: await revoked.catch((error: unknown) => error), published };
}

describe("a new key", () => {
  it("authenticates its owner in the owner's team; it is stored as a hash, its webhook secret encrypted", async () => {
    const person = await newPerson(db);
    const { key, token, webhookSecret } = await create(person);
    expect(token).toMatch(/^tsk_[0-9a-f]{32}$/u);
    expect(key.keyPrefix).toBe(token.slice(0, 8));
    expect(await authenticateKey(database, token)).toMatchObject({
      keyId: key.id,
      userId: person.user.id,
      teamId: person.user.defaultTeamId,
      projectIds: null,
    });
    expect(webhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u);
    expect(await secrets.decrypt(key.webhookSecretEncrypted)).toBe(webhookSecret);
    const stored = JSON.stringify(await db.select().from(externalApiKeys));
    for (const secret of [token, webhookSecret]) expect(stored).not.toContain(secret);
  });

  it("is bound only to projects that its maker reaches", async () => {
    const [person, stranger] = [await newPerson(db), await newPerson(db)];
    const own = await newProject(db, person);
    const foreign = await newProject(db, stranger);
    const { key } = await create(person, { projectIds: [own.id] });
    expect(key).toMatchObject({ scope: "project", projectIds: [own.id] });
    const refusal = { code: "not_found", message: "Project not found" };
    for (const projectIds of [[own.id, foreign.id], [crypto.randomUUID()]]) {
      await expect(create(person, { projectIds })).rejects.toMatchObject(refusal);
    }
  });

  it("bound to a project of another of its maker's teams is of that team, with what the maker's role grants there", async () => {
    const [person, owner] = [await newPerson(db), await newPerson(db)];
    const own = await newProject(db, person);
    const shared = await newProject(db, owner);
    const membership = { teamId: shared.teamId, userId: person.user.id, role: "viewer" } as const;
    await db.insert(teamMemberships).values(membership);
    expect((await create(person, { projectIds: [shared.id] })).key.teamId).toBe(shared.teamId);
    const beyond = create(person, { projectIds: [shared.id], scopes: ["chat.send"] });
    await expect(beyond).rejects.toMatchObject({ message: EXCEEDS });
    const { key, token } = await create(person, { projectIds: [own.id, shared.id] });
    expect(key.teamId).toBe(person.user.defaultTeamId);
    const caller = await authenticateKey(database, token);
    for (const { id } of [own, shared]) {
      expect(await requireProject(database, caller, id, "project.view")).toMatchObject({ id });
    }
  });

  it("cannot have a permission its maker's role has not", async () => {
    const person = await newPerson(db);
    const ofPerson = eq(teamMemberships.userId, person.user.id);
    await db.update(teamMemberships).set({ role: "viewer" }).where(ofPerson);
    const beyond = create(person, { scopes: ["chat.view", "chat.send"] });
    await expect(beyond).rejects.toMatchObject({ code: "forbidden", message: EXCEEDS });
    const grantable = await listGrantableScopes(database, person.caller);
    expect(grantable).toContainEqual(expect.objectContaining({ value: "chat.view" }));
    expect(grantable).not.toContainEqual(expect.objectContaining({ value: "chat.send" }));
  });
});

describe("a revoked key", () => {
  it("no longer authenticates, keeps no hash, and has its tasks ended", async () => {
    const person = await newPerson(db);
    const { key, token } = await create(person);
    const { outcome, published } = await revoke(person, key.id);
    expect(outcome).toBeUndefined();
    expect(published).toEqual([{ function: "stop-tasks", payload: { keyId: key.id } }]);
    await expect(authenticateKey(database, token)).rejects.toMatchObject({ code: "unauthenticated" });
    const [row] = await db.select().from(externalApiKeys).where(eq(externalApiKeys.id, key.id));
    expect(row).toMatchObject({ isActive: false, keyHash: null, revokedAt: expect.any(Date) });
  });

  it("is in its team's log, made once and revoked once, without anything secret; its tasks are sent for each time", async () => {
    const person = await newPerson(db);
    const { key, token, webhookSecret } = await create(person, { scopes: ["chat.send"] });
    await revoke(person, key.id);
    const { outcome, published } = await revoke(person, key.id);
    expect(outcome).toMatchObject({ code: "invalid_input", message: "API key is already deactivated" });
    expect(published).toHaveLength(1);
    const log = await auditEntries(db, { resourceId: key.id });
    const by = { userId: person.user.id, teamId: key.teamId };
    const details = { name: "key", key_prefix: key.keyPrefix, scopes: ["chat.send"], project_ids: null };
    expect(log).toMatchObject([
      { ...by, action: "api_key.created", details },
      { ...by, action: "api_key.revoked" },
    ]);
    for (const secret of [token, webhookSecret]) expect(JSON.stringify(log)).not.toContain(secret);
  });

  it("is found by its owner only, and not under a name that is no id", async () => {
    const [person, stranger] = [await newPerson(db), await newPerson(db)];
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

async function newKey() {
  const person = await newPerson(db);
  const created = await create(person);
  const rotate = (userId = person.user.id) =>
    rotateWebhookSecret({ db, secrets }, userId, created.key.id, CLIENT);
  return { person, ...created, rotate };
}

/** Starts a task of the key, and returns what its receiver is sent. */
async function receiver({ person: { user }, key }: Awaited<ReturnType<typeof newKey>>) {
  const { taskId } = await storeTask(db, user, {
    status: "running",
    webhookUrl: "https://receiver.test",
    apiKeyId: key.id,
  });
  return async () => {
    let sent = { headers: {}, body: "" };
    const safeFetch: SafeFetch = async (url, { headers, body } = {}) => {
      sent = { headers: { ...headers }, body: await new Response(body ?? null).text() };
      return { status: 204, headers: new Headers(), url, body: new Uint8Array(), truncated: false };
    };
    await sendNotice({ db, secrets, safeFetch }, { taskId, callId: newId(), text: "Hello" });
    return sent;
  };
}

describe("a rotated secret", () => {
  it("signs with both secrets for a while, and then with the new one alone", async () => {
    const key = await newKey();
    const received = await receiver(key);
    const { webhookSecret: next, key: rotated } = await key.rotate();
    expect(next).not.toBe(key.webhookSecret);
    const { previousWebhookSecretUntil: until } = rotated;
    expect((until?.getTime() ?? 0) > Date.now() + 23 * 3_600_000).toBe(true);
    const both = await received();
    for (const secret of [next, key.webhookSecret, [key.webhookSecret, next]]) {
      expect(await verifyCallback(both.body, both.headers, secret)).toMatchObject({ message: "Hello" });
    }
    await db
      .update(externalApiKeys)
      .set({ previousWebhookSecretUntil: new Date(0) })
      .where(eq(externalApiKeys.id, key.key.id));
    const one = await received();
    expect(await verifyCallback(one.body, one.headers, [key.webhookSecret, next])).toMatchObject({
      message: "Hello",
    });
    await expect(verifyCallback(one.body, one.headers, key.webhookSecret)).rejects.toThrow(
      "not of this secret",
    );
  });

  it("is stored encrypted, and logged without the secret", async () => {
    const key = await newKey();
    const { webhookSecret } = await key.rotate();
    const [row] = await db.select().from(externalApiKeys).where(eq(externalApiKeys.id, key.key.id));
    const log = await auditEntries(db, { resourceId: key.key.id });
    expect(log.map(({ action }) => action)).toContain("api_key.secret_rotated");
    for (const secret of [webhookSecret, key.webhookSecret]) {
      expect(JSON.stringify([row, log])).not.toContain(secret);
    }
    expect(row?.keyHash).toBe(key.key.keyHash);
  });

  it("is the owner's to rotate, while the key is active", async () => {
    const { key, person, rotate } = await newKey();
    const refused = expect.objectContaining({ code: "not_found" });
    await expect(rotate((await newPerson(db)).user.id)).rejects.toEqual(refused);
    await db.update(externalApiKeys).set({ isActive: false }).where(eq(externalApiKeys.id, key.id));
    await expect(rotate()).rejects.toEqual(refused);
    const nameless = rotateWebhookSecret({ db, secrets }, person.user.id, "none", CLIENT);
    await expect(nameless).rejects.toEqual(refused);
  });
});
