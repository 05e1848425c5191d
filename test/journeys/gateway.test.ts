import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createRedis } from "#src/platform/redis/client.ts";
import { connectedChannels, PATIENCE } from "#test/support/connected-channels.ts";
import { startTelegramUpdates, type TelegramUpdates } from "#test/support/platforms/telegram-updates.ts";
import { startService, type TestService } from "#test/support/service.ts";

interface Status {
  status: string;
  shard: number;
  num_shards: number;
  adapters: number;
  connected: number;
  heartbeat: string | null;
  last_sync: string | null;
  started_at: string | null;
}

const soon = (check: () => Promise<void>) => vi.waitFor(check, PATIENCE);

let telegram: TelegramUpdates;
beforeAll(async () => {
  telegram = await startTelegramUpdates("110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw");
});
afterAll(() => telegram.close());

describe("the gateway", () => {
  let service: TestService;
  let root: { token: string };
  let token: string;

  const status = async () => (await service.call<Status>("GET", "/api/gateway/status", { token })).body;

  beforeAll(async () => {
    service = await startService({ GATEWAY_NUM_SHARDS: "2", TELEGRAM_API_BASE_URL: telegram.url });
    // The first account is an administrator.
    root = await service.signUp();
    ({ token } = await service.signUp());
  });
  afterAll(() => service.close());

  it("lists what it connects to", async () => {
    const { body } = await service.call<object[]>("GET", "/api/gateway/platforms", { token });
    expect(body).toMatchObject([
      { platform: "telegram", display_name: "Telegram", supports_gateway: true },
      { platform: "discord", supports_gateway: true },
      { platform: "slack", supports_gateway: true },
      { platform: "whatsapp", supports_gateway: false },
      { platform: "signal", supports_gateway: true },
      { platform: "cli", supports_gateway: true },
    ]);
  });

  it("syncs by itself, and says when", async () => {
    await soon(async () => expect(await status()).toMatchObject({ status: "online" }));
    const { last_sync: lastSync, ...rest } = await status();
    expect(rest).toMatchObject({
      shard: 0,
      num_shards: 2,
      shards: 2,
      active_sessions: 0,
      heartbeat: lastSync,
    });
    expect(Date.parse(rest.started_at ?? "")).toBeLessThanOrEqual(Date.parse(lastSync ?? ""));
  });

  it("is reloaded by administrators alone", async () => {
    const refused = await service.call("POST", "/api/gateway/reload", { token });
    expect(refused.status).toBe(403);
    const reloaded = await service.call("POST", "/api/gateway/reload", { token: root.token });
    expect(reloaded).toMatchObject({ status: 200, body: { status: "reload_signalled" } });
  });

  it("tells other programs in Redis which connections are up", async () => {
    const { REDIS_URL: url = "off", REDIS_TOKEN: redisToken } = service.stack.variables;
    const redis = createRedis({ url, token: redisToken });
    const channels = connectedChannels(service, token);
    const id = await channels.add("telegram", { bot_token: telegram.token });
    await channels.waitFor(id, "connected");
    const key = `workspace:gateway:active:${id}`;
    await soon(async () => expect(await redis?.get(key)).toBe("alive"));
    const seconds = await redis?.ttl(key);
    expect(seconds).toBeGreaterThan(60);
    expect(seconds).toBeLessThanOrEqual(120);
    expect(await redis?.get("workspace:gateway:status:0")).toMatchObject({ status: "online", shard: 0 });
    await channels.remove(id);
    await soon(async () => expect(await redis?.get(key)).toBeNull());
  });

  it("has each channel in one shard", async () => {
    const channels = connectedChannels(service, token);
    const ids = await Promise.all(
      Array.from({ length: 4 }, () => channels.add("telegram", { bot_token: telegram.token })),
    );
    for (const id of ids)
      await soon(async () => expect((await channels.get(id)).connection_state).not.toBeNull());
    await soon(async () => {
      const { body } = await service.call<{ gateway_shard: number; is_active: boolean }[]>(
        "GET",
        "/api/channels",
        {
          token,
        },
      );
      const own = body.filter((one) => one.gateway_shard === 0 && one.is_active);
      expect((await status()).adapters).toBe(own.length);
    });
    for (const id of ids) await channels.remove(id);
  });
});

it("connects nothing when the gateway is switched off", async () => {
  const service = await startService({ GATEWAY_ENABLED: "false", TELEGRAM_API_BASE_URL: telegram.url });
  const root = await service.signUp();
  const channels = connectedChannels(service, root.token);
  const before = telegram.connections;
  const id = await channels.add("telegram", { bot_token: telegram.token });
  const reloaded = await service.call("POST", "/api/gateway/reload", { token: root.token });
  expect(reloaded.status).toBe(200);
  expect(await channels.get(id)).toMatchObject({ connection_state: null });
  expect(telegram.connections).toBe(before);
  const { body } = await service.call<Status>("GET", "/api/gateway/status", { token: root.token });
  expect(body).toMatchObject({ status: "offline", adapters: 0 });
  await service.close();
});
