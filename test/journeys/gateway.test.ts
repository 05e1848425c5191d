import { beforeAll, describe, expect, it, vi } from "vitest";
import { createRedis } from "#src/platform/redis/client.ts";
import { signUpAdministrator } from "#test/support/administrators.ts";
import { connectedChannels, PATIENCE } from "#test/support/connected-channels.ts";
import { sharedService } from "#test/support/shared-service.ts";

const soon = (check: () => Promise<void>) => vi.waitFor(check, PATIENCE);
const newBot = () => ({ bot_token: `standin:${crypto.randomUUID()}` });

describe("the gateway", () => {
  const service = sharedService();
  let token: string;
  beforeAll(async () => {
    ({ token } = await service.signUp());
  });

  it("lists what it connects to, and says when it synced", async () => {
    const { body } = await service.call<object[]>("GET", "/api/gateway/platforms", { token });
    expect(body).toMatchObject([
      { platform: "telegram", display_name: "Telegram", supports_gateway: true },
      { platform: "discord", supports_gateway: true },
      { platform: "slack", supports_gateway: true },
      { platform: "whatsapp", supports_gateway: false },
      { platform: "signal", supports_gateway: true },
      { platform: "cli", supports_gateway: true },
    ]);
    await soon(async () => {
      const status = await service.call("GET", "/api/gateway/status", { token });
      expect(status.body).toMatchObject({
        status: "online",
        shard: 0,
        num_shards: 1,
        shards: 1,
        last_sync: expect.stringMatching(/Z$/u),
        heartbeat: expect.stringMatching(/Z$/u),
        started_at: expect.stringMatching(/Z$/u),
      });
    });
  });

  it("is reloaded by administrators alone", async () => {
    expect((await service.call("POST", "/api/gateway/reload", { token })).status).toBe(403);
    const reloaded = await service.call("POST", "/api/gateway/reload", await signUpAdministrator(service));
    expect(reloaded).toMatchObject({ status: 200, body: { status: "reload_signalled" } });
  });

  it("tells other programs in Redis which connections are up", async () => {
    const { REDIS_URL: url = "off", REDIS_TOKEN: redisToken } = service.stack.variables;
    const redis = createRedis({ url, token: redisToken });
    const channels = connectedChannels(service, token);
    const id = await channels.add("telegram", newBot());
    await channels.waitFor(id, "connected");
    const key = `workspace:gateway:active:${id}`;
    await soon(async () => expect(await redis?.get(key)).toBe("alive"));
    const seconds = await redis?.ttl(key);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(120);
    expect(await redis?.get("workspace:gateway:status:0")).toMatchObject({ status: "online", shard: 0 });
    await channels.remove(id);
    await soon(async () => expect(await redis?.get(key)).toBeNull());
  });
});
