import { randomUUID } from "node:crypto";
import net from "node:net";
import { Redis } from "@upstash/redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRedis } from "#stand-ins/redis/index.ts";

const answers = await new Promise<boolean>((resolve) => {
  const socket = net.connect(6379, "127.0.0.1", () => socket.end(() => resolve(true)));
  socket.once("error", () => resolve(false));
});

describe("the Redis bridge over memory", () => {
  bridgeContract(undefined);
});
describe.skipIf(!answers)("the Redis bridge over a real Redis (needs one at 127.0.0.1:6379)", () => {
  bridgeContract("redis://127.0.0.1:6379");
});

function bridgeContract(redisUrl: string | undefined): void {
  const prefix = `bridge-test:${randomUUID()}`;
  const key = (name: string) => `${prefix}:${name}`;
  let server: Awaited<ReturnType<typeof startRedis>>;
  let redis: Redis;

  beforeAll(async () => {
    server = await startRedis({ redisUrl });
    redis = new Redis({ url: server.url, token: server.token, enableTelemetry: false, retry: false });
  });

  afterAll(async () => {
    const left = await redis.keys(`${prefix}:*`);
    if (left.length > 0) await redis.del(...left);
    await server.close();
  });

  it("keeps texts and objects, whatever their letters", async () => {
    await redis.set(key("text"), "Grüße ✓");
    await redis.set(key("object"), { a: [1, "b"] });
    expect(await redis.mget(key("text"), key("object"), key("absent"))).toEqual([
      "Grüße ✓",
      { a: [1, "b"] },
      null,
    ]);
    expect(await redis.exists(key("text"), key("object"), key("absent"))).toBe(2);
    expect(await redis.del(key("text"), key("absent"))).toBe(1);
    expect(await redis.get(key("text"))).toBeNull();
  });

  it("sets only what is absent, or only what is there", async () => {
    expect(await redis.set(key("once"), "a", { xx: true })).toBeNull();
    expect(await redis.set(key("once"), "a", { nx: true, ex: 60 })).toBe("OK");
    expect(await redis.set(key("once"), "b", { nx: true })).toBeNull();
    expect(await redis.get(key("once"))).toBe("a");
    expect(await redis.set(key("once"), "c", { xx: true })).toBe("OK");
    expect(await redis.ttl(key("once"))).toBe(-1);
  });

  it("forgets what has expired", async () => {
    await redis.setex(key("lease"), 60, "a");
    const left = () => redis.ttl(key("lease"));
    expect(await left()).toSatisfy((seconds) => seconds > 30 && seconds <= 60);
    expect(await redis.expire(key("lease"), 30)).toBe(1);
    expect(await left()).toSatisfy((seconds) => seconds > 0 && seconds <= 30);
    await redis.pexpire(key("lease"), 1);
    await expect.poll(() => redis.get(key("lease"))).toBeNull();
    expect(await redis.ttl(key("lease"))).toBe(-2);
    expect(await redis.expire(key("lease"), 30)).toBe(0);
  });

  it("answers a pipeline command by command", async () => {
    const pipeline = redis.pipeline().set(key("p"), "a").xlen(key("p")).get(key("p"));
    const results = await pipeline.exec({ keepErrors: true });
    expect(results[0]).toMatchObject({ result: "OK" });
    expect(results[1]?.error).toMatch(/^WRONGTYPE/u);
    expect(results[2]).toMatchObject({ result: "a" });
  });

  it("refuses a stranger and an unknown command", async () => {
    const stranger = new Redis({ url: server.url, token: "guess", enableTelemetry: false, retry: false });
    await expect(stranger.ping()).rejects.toThrow("Unauthorized");
    const response = await fetch(server.url, {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}` },
      body: '["NONSENSE"]',
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: expect.stringMatching(/^ERR unknown command/u) },
    ]);
  });

  it("appends to a stream and reads it", async () => {
    const stream = key("stream");
    expect(await redis.xadd(stream, "1-1", { a: "x" })).toBe("1-1");
    expect(await redis.xadd(stream, "2-0", { a: "y" })).toBe("2-0");
    await expect(redis.xadd(stream, "2-0", { a: "z" })).rejects.toThrow("equal or smaller");
    const third = await redis.xadd(
      stream,
      "*",
      { a: "z" },
      { trim: { type: "MAXLEN", comparison: "=", threshold: 2 } },
    );
    expect(await redis.xrange(stream, "-", "+")).toEqual({ "2-0": { a: "y" }, [third]: { a: "z" } });
  });

  describe("a consumer group", () => {
    it("gives each entry to one consumer and remembers it until it is acknowledged", async () => {
      const stream = key("group");
      expect(
        await redis.xgroup(stream, { type: "CREATE", group: "g", id: "0", options: { MKSTREAM: true } }),
      ).toBe("OK");
      await expect(redis.xgroup(stream, { type: "CREATE", group: "g", id: "0" })).rejects.toThrow(
        "BUSYGROUP",
      );
      await redis.xadd(stream, "1-0", { n: "one" });
      await redis.xadd(stream, "2-0", { n: "two" });
      await redis.xadd(stream, "3-0", { n: "three" });
      const [taken] = (await redis.xreadgroup("g", "ann", stream, ">", { count: 2 })) ?? [];
      expect(taken).toMatchObject([
        stream,
        [
          ["1-0", ["n", "one"]],
          ["2-0", ["n", "two"]],
        ],
      ]);
      expect(await redis.xreadgroup("g", "bob", stream, ">")).toEqual([[stream, [["3-0", ["n", "three"]]]]]);
      expect(await redis.xreadgroup("g", "bob", stream, ">")).toBeNull();
      expect(await redis.xack(stream, "g", "1-0")).toBe(1);
      expect(await redis.xack(stream, "g", "1-0")).toBe(0);
      expect(await redis.xreadgroup("g", "ann", stream, "0")).toEqual([[stream, [["2-0", ["n", "two"]]]]]);
    });

    it("lets another consumer take over", async () => {
      const stream = key("takeover");
      await redis.xgroup(stream, { type: "CREATE", group: "g", id: "0", options: { MKSTREAM: true } });
      for (const id of ["1-0", "2-0", "3-0"]) await redis.xadd(stream, id, { id });
      await redis.xreadgroup("g", "ann", stream, ">");
      await redis.xdel(stream, "2-0");
      const [next, claimed, gone] = await redis.xautoclaim(stream, "g", "eve", 0, "0-0", { count: 10 });
      expect({ next, claimed, gone }).toEqual({
        next: "0-0",
        claimed: [
          ["1-0", ["id", "1-0"]],
          ["3-0", ["id", "3-0"]],
        ],
        gone: ["2-0"],
      });
      const left = await redis.xpending(stream, "g", "-", "+", 10);
      expect(left).toEqual([
        ["1-0", "eve", expect.any(Number), 2],
        ["3-0", "eve", expect.any(Number), 2],
      ]);
    });
  });
}
