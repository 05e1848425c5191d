import { afterAll, beforeAll, expect, it } from "vitest";
import { telegram } from "#src/channels/telegram/index.ts";
import { channelConfigs } from "#src/db/schema/index.ts";
import { receiveWebhook } from "#src/domain/messaging/inbox/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Services } from "#src/services.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { openDatabase } from "#test/support/database.ts";
import { NO_EVENT_LIMITS } from "#test/support/event-limits.ts";
import { partOf } from "#test/support/part-of.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

it("a webhook's address with another secret than the channel's is refused, though the platform's signature is right", async () => {
  const { db } = database;
  const { id: userId } = await newColleague(db);
  const channelId = newId();
  await db.insert(channelConfigs).values({
    id: channelId,
    userId,
    channelType: "telegram",
    name: "Bot",
    encryptedCredentials: JSON.stringify({ bot_token: "1:token" }),
    encryptedWebhookSecret: "secret",
    botId: "1",
    provedAt: new Date(),
    inboundMode: "webhook",
  });
  const deps = partOf<Services>({
    db,
    queue: { publish: async () => {} },
    rateLimits: NO_EVENT_LIMITS,
    channels: { telegram: { ...telegram, handshake: () => undefined, verify: async () => true } },
    apiEnvironment: {},
    channelSecrets: { encrypt: async (text: string) => text, decrypt: async (text: string) => text },
    config: { GATEWAY_ENABLED: true },
  });
  const request = {
    method: "POST" as const,
    headers: new Headers(),
    query: new URLSearchParams(),
    body: Uint8Array.from(new TextEncoder().encode('{"update_id":1}')),
  };
  const call = (secret: string | undefined) =>
    receiveWebhook(deps, { type: "telegram", channelId, secret }, request);
  await expect(call("an earlier secret")).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(call("")).rejects.toMatchObject({ code: "unauthenticated" });
  expect(await call("secret")).toEqual({ empty: true });
  expect(await call(undefined)).toEqual({ empty: true });
});
