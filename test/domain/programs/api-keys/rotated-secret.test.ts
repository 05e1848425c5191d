import { eq } from "drizzle-orm";
import { verifyCallback } from "@agent-workspace/client/webhooks";
import { expect, it } from "vitest";
import { auditLog, externalApiKeys } from "#src/db/schema/index.ts";
import { sendNotice } from "#src/domain/agent-work/callbacks/index.ts";
import { createApiKey, rotateWebhookSecret } from "#src/domain/programs/api-keys/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { DEFAULT_CEILINGS } from "#test/support/ceilings.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT, newPerson } from "#test/support/people.ts";
import { storeTask } from "#test/support/stored-task.ts";

const secrets = createSecrets("a-secret-key-for-tests-of-32-characters");

const { db } = await fileDatabase();

async function newKey() {
  const person = await newPerson(db);
  const wish = { name: "key", scopes: null, projectIds: null, expiresAt: null };
  const created = await createApiKey({ db, secrets, config: DEFAULT_CEILINGS }, person.caller, wish, CLIENT);
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
  const log = await db.select().from(auditLog).where(eq(auditLog.resourceId, key.key.id));
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
