import { describe, expect, it, vi } from "vitest";
import { queueWorld } from "./support/queue-world.ts";

const publicUrl = "https://service.test";
const { receiver, queueTo } = queueWorld();

describe("a published message", () => {
  it("is not delivered when it was cancelled", async () => {
    const destination = await receiver();
    const { queue, client } = await queueTo(destination.url);
    const { messageId } = await client.publish({ url: `${publicUrl}/cancelled` });
    await client.messages.cancel(messageId);
    await client.publish({ url: `${publicUrl}/kept` });
    queue.begin();
    const [first] = await destination.arrived(1);
    expect(first?.path).toBe("/kept");
  });
});

describe("deduplication", () => {
  it("returns the first message for a repeated id and delivers once, also across a restart", async () => {
    const destination = await receiver();
    const first = await queueTo(destination.url);
    const one = await first.client.publish({ url: `${publicUrl}/x`, deduplicationId: "d1" });
    await first.queue.close();
    const { queue, client } = await queueTo(destination.url);
    const two = await client.publish({ url: `${publicUrl}/x`, deduplicationId: "d1" });
    expect(two).toMatchObject({ messageId: one.messageId, deduplicated: true });
    await client.publish({ url: `${publicUrl}/last`, delay: "1s" });
    queue.begin();
    const arrived = await destination.arrived(2);
    expect(arrived.map(({ path: at }) => at).toSorted()).toEqual(["/last", "/x"]);
  });
});

describe("a failed delivery", () => {
  it("is repeated when the destination asks: 429 with Retry-After wins over the pause of the message", async () => {
    const destination = await receiver((_, nth) =>
      nth === 1 ? { status: 429, headers: { "retry-after": "1" } } : { status: 200 },
    );
    const { queue, client } = await queueTo(destination.url);
    queue.begin();
    const published = Date.now();
    await client.publish({ url: publicUrl, retryDelay: "3600000" });
    await destination.arrived(2);
    expect(Date.now() - published).toBeGreaterThanOrEqual(1000);
  });

  it("ends in the dead letters when the retries are used up, and calls the failure callback", async () => {
    const destination = await receiver(({ path: at }) =>
      at === "/broken" ? { status: 503, body: "no" } : { status: 200 },
    );
    const { queue, client, log } = await queueTo(destination.url);
    queue.begin();
    const { messageId } = await client.publish({
      url: `${publicUrl}/broken`,
      body: "payload",
      retries: 1,
      retryDelay: "10",
      failureCallback: `${publicUrl}/failed`,
    });
    const deliveries = await destination.arrived(3);
    expect(deliveries.map(({ path: at }) => at)).toEqual(["/broken", "/broken", "/failed"]);
    expect(deliveries.map(({ headers }) => headers["upstash-retried"])).toEqual(["0", "1", "0"]);
    const { messages } = await client.dlq.listMessages();
    expect(messages).toMatchObject([
      { messageId, url: `${publicUrl}/broken`, body: "payload", responseStatus: 503, responseBody: "no" },
    ]);
    expect(JSON.parse(deliveries[2]?.body ?? "")).toMatchObject({
      status: 503,
      body: Buffer.from("no").toString("base64"),
      retried: 1,
      maxRetries: 1,
      sourceMessageId: messageId,
      sourceBody: Buffer.from("payload").toString("base64"),
      dlqId: messages[0]?.dlqId,
    });
    expect(log.join()).toContain(messageId);
  });

  it("is final at once when the destination responds with 489", async () => {
    const destination = await receiver(() => ({
      status: 489,
      headers: { "Upstash-NonRetryable-Error": "true" },
    }));
    const { queue, client } = await queueTo(destination.url);
    queue.begin();
    await client.publish({ url: publicUrl, retryDelay: "1" });
    await vi.waitFor(async () => expect((await client.dlq.listMessages()).messages).toHaveLength(1));
    expect(destination.deliveries).toHaveLength(1);
  });
});

describe("flow control", () => {
  const flowControl = { key: "receive.ada", parallelism: 2 };

  it("delivers so many messages of a key at the same time, and leaves others alone", async () => {
    const [one, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const destination = await receiver(async ({ path: at }) => {
      if (at !== "/other") await (at === "/0" ? one.promise : rest.promise);
      return { status: 200 };
    });
    const { queue, client } = await queueTo(destination.url);
    await client.batch(
      Array.from({ length: 5 }, (_, index) => ({ url: `${publicUrl}/${index}`, flowControl })),
    );
    await client.publish({ url: `${publicUrl}/other` });
    queue.begin();
    const first = await destination.arrived(3);
    expect(first.map(({ path: at }) => at).toSorted()).toEqual(["/0", "/1", "/other"]);
    const asked = () => client.flowControl.get(flowControl.key);
    const known = { flowControlKey: flowControl.key, parallelismMax: 2 };
    expect(await asked()).toMatchObject({ ...known, parallelismCount: 2, waitListSize: 3 });
    one.resolve();
    await destination.arrived(4);
    expect(await asked()).toMatchObject({ ...known, parallelismCount: 2, waitListSize: 2 });
    rest.resolve();
    await vi.waitFor(async () =>
      expect(await asked()).toMatchObject({ parallelismCount: 0, waitListSize: 0 }),
    );
  });
});

describe("the door", () => {
  it.each([
    ["a wrong token", "/v2/publish/https://x.test", { authorization: "Bearer wrong" }, 401],
    ["a destination that is no address", "/v2/publish/topic", {}, 400],
    ["a batch that is none", "/v2/batch", {}, 400],
  ])("refuses %s", async (_, at, headers, status) => {
    const { queue } = await queueTo("http://127.0.0.1:9");
    const response = await fetch(queue.url + at, {
      method: "POST",
      headers: { authorization: `Bearer ${queue.token}`, ...headers },
      body: "{}",
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });
});

describe("faults", () => {
  it("deliver everything twice, in disorder, the first attempt in vain, and lose nothing", async () => {
    const destination = await receiver();
    const { queue, client } = await queueTo(destination.url, {
      faults: { duplicate: true, shuffle: true, failFirst: true },
    });
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`);
    await client.batch(paths.map((at) => ({ url: publicUrl + at })));
    queue.begin();
    await vi.waitFor(async () => {
      const counts = paths.map((at) => destination.deliveries.filter(({ path: seen }) => seen === at).length);
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(2);
      expect(destination.deliveries.length).toBeGreaterThan(40);
    });
    const order = destination.deliveries.map(({ path: at }) => at);
    expect([...new Set(order)]).not.toEqual(paths);
  });
});
