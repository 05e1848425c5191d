import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@upstash/qstash";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startQueue } from "#stand-ins/queue/index.ts";
import { createQueue } from "#src/platform/queue/qstash.ts";
import { createVerifier } from "#src/platform/queue/verify-signature.ts";
import { makeMessage } from "#src/work/message.ts";
import { newTrips } from "#src/platform/trips.ts";
import { startReceiver } from "#test/stand-ins/support/receiver.ts";

const publicUrl = "https://service.test";
const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function stack() {
  const dataDir = mkdtempSync(path.join(tmpdir(), "queue-"));
  const destination = await startReceiver();
  const server = await startQueue({ dataDir, publicUrl, deliverTo: destination.url, log: () => undefined });
  cleanups.push(() => rmSync(dataDir, { recursive: true }), destination.close, server.close);
  server.begin();
  return { destination, server, queue: createQueue({ url: server.url, token: server.token, publicUrl }) };
}

describe("the queue", () => {
  it("delivers a message to its function, signed, its id deduplicated", async () => {
    const { destination, server, queue } = await stack();
    await queue.publish(makeMessage("greet", { name: "Zoë" }, { deduplicationId: "one" }));
    await queue.publish(makeMessage("greet", { name: "Zoë" }, { deduplicationId: "one" }));
    await queue.publish(makeMessage("last", null, { delaySeconds: 1 }));
    const deliveries = await destination.arrived(2);
    // A queue promises no order.
    expect(deliveries.map(({ path: at, body }) => `${at} ${body}`).toSorted()).toEqual([
      '/functions/greet {"name":"Zoë"}',
      "/functions/last null",
    ]);
    const greeting = deliveries.find(({ path: at }) => at === "/functions/greet");

    const verify = createVerifier(server);
    const signed = {
      body: greeting?.body ?? "",
      signature: String(greeting?.headers["upstash-signature"]),
      url: `${publicUrl}/functions/greet`,
    };
    await expect(verify(signed)).resolves.toBe(true);
    await expect(verify({ ...signed, body: "{}" })).resolves.toBe(false);
    await expect(verify({ ...signed, url: `${publicUrl}/functions/last` })).resolves.toBe(false);
    await expect(verify({ ...signed, signature: "" })).resolves.toBe(false);
    await expect(verify({ ...signed, signature: "a.b.c" })).resolves.toBe(false);
    const stranger = createVerifier({ currentSigningKey: "other", nextSigningKey: "another" });
    await expect(stranger(signed)).resolves.toBe(false);
    const rotated = createVerifier({ currentSigningKey: "new", nextSigningKey: server.currentSigningKey });
    await expect(rotated(signed)).resolves.toBe(true);
  });

  it("publishes a long batch in requests of a hundred", async () => {
    const { destination, server } = await stack();
    const trips = newTrips();
    const queue = createQueue({ url: server.url, token: server.token, publicUrl, trips });
    const payloads = Array.from({ length: 201 }, (_, index) => index);
    await queue.publishBatch(payloads.map((payload) => makeMessage("a", payload, {})));
    expect(trips.publish).toBe(3);
    const bodies = (await destination.arrived(201)).map(({ body }) => Number(body));
    expect(bodies.toSorted((one, other) => one - other)).toEqual(payloads);
  });

  it("has a share for each kind of work of each person", async () => {
    const { server, queue } = await stack();
    const client = new Client({ baseUrl: server.url, token: server.token, devMode: false, retry: false });
    const later = { shareOf: "ada", delaySeconds: 60 };
    await queue.publish(makeMessage("agent-step", null, later));
    await queue.publishBatch([makeMessage("receive-message", null, later)]);
    expect(await client.flowControl.get("agent-step.ada")).toMatchObject({ parallelismMax: 32 });
    expect(await client.flowControl.get("receive-message.ada")).toMatchObject({ parallelismMax: 6 });
  });
});

describe("a schedule of the queue", () => {
  const message = makeMessage("tick", { of: "test" }, { retries: 0 });
  const tick = { id: "tick", cron: "* * * * *", ...message };

  it("is one for its id, and the last one holds", async () => {
    const { server, queue } = await stack();
    const client = new Client({ baseUrl: server.url, token: server.token, devMode: false, retry: false });
    await queue.ensureSchedule(tick);
    await queue.ensureSchedule(tick);
    await queue.ensureSchedule({ ...tick, id: "other" });
    await queue.ensureSchedule({ ...tick, cron: "*/5 * * * *", payload: { of: "change" } });
    expect(await client.schedules.list()).toMatchObject([
      { scheduleId: "other", cron: "* * * * *", body: '{"of":"test"}', retries: 0 },
      {
        scheduleId: "tick",
        cron: "*/5 * * * *",
        destination: `${publicUrl}/functions/tick`,
        method: "POST",
        header: { "content-type": ["application/json"] },
        body: '{"of":"change"}',
        retries: 0,
      },
    ]);
  });
});

const answering = (...answers: (number | Error)[]) =>
  vi.fn<typeof fetch>(async () => {
    const answer = answers.shift() ?? 201;
    if (answer instanceof Error) throw answer;
    return Response.json({ messageId: "m" }, { status: answer });
  });
/** Ends with the request's signal alone. */
const silence = (init: RequestInit | undefined) =>
  new Promise<Response>((_, reject) => {
    init?.signal?.addEventListener("abort", () => reject(new Error("Given up")));
  });
const over = (fetch: typeof globalThis.fetch) =>
  createQueue({ url: "http://queue.test", token: "secret-token", publicUrl, fetch });

describe("a queue that fails", () => {
  it("is asked again when that may help", async () => {
    const fetch = answering(500, new TypeError("connection reset"), 201);
    await over(fetch).publish(makeMessage("f", 1, {}));
    expect(fetch).toHaveBeenCalledTimes(3);
  });

  it("is asked three times at most, and told about without printing or showing the token", async () => {
    const prints = [vi.spyOn(console, "error"), vi.spyOn(console, "warn"), vi.spyOn(console, "log")];
    const fetch = answering(503, 503, 503, 503);
    const failure = await over(fetch)
      .publish(makeMessage("f", 1, {}))
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "unavailable" });
    expect(String(failure)).not.toContain("secret-token");
    expect(fetch).toHaveBeenCalledTimes(3);
    for (const print of prints) expect(print).not.toHaveBeenCalled();
  });

  it("is not asked again when it refuses", async () => {
    const fetch = answering(401, 201);
    await expect(over(fetch).publish(makeMessage("f", 1, {}))).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["stays silent", silence],
    [
      "only begins to answer",
      async (init) => new Response(new ReadableStream({ pull: async () => void (await silence(init)) })),
    ],
  ] satisfies [string, typeof silence][])("is given up when it %s", async (_, answer) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const fetch = vi.fn<typeof globalThis.fetch>((_url, init) => answer(init));
    const outcome = Promise.allSettled([over(fetch).publish(makeMessage("f", 1, {}))]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await outcome).toMatchObject([{ reason: { code: "unavailable" } }]);
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});
