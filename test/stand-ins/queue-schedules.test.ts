import type { Client } from "@upstash/qstash";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { nextAfter } from "#stand-ins/queue/schedule.ts";
import { queueWorld } from "./support/queue-world.ts";

const publicUrl = "https://service.test";
const destination = `${publicUrl}/functions/tick`;
const START = "2026-03-01T10:00:30.000Z";
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.parse(START) });
});
afterEach(() => void vi.useRealTimers());
// Closed before the clock is the machine's again.
const { receiver, queueTo } = queueWorld();

const timeOf = (delivery: { at: number } | undefined) => new Date(delivery?.at ?? 0).toISOString();
const nextOf = async (client: Client, id: string) =>
  new Date((await client.schedules.get(id)).nextScheduleTime ?? 0).toISOString();

describe("a schedule", () => {
  it("publishes a message at each of its minutes", async () => {
    const service = await receiver();
    const { queue, client } = await queueTo(service.url);
    queue.begin();
    await client.schedules.create({
      scheduleId: "tick",
      destination: `${destination}?a=1`,
      cron: "*/2 * * * *",
      body: '{"n":1}',
    });
    await vi.advanceTimersByTimeAsync(90_000);
    const [first] = await service.arrived(1);
    expect(timeOf(first)).toBe("2026-03-01T10:02:00.000Z");
    expect(first).toMatchObject({
      path: "/functions/tick?a=1",
      body: '{"n":1}',
      headers: { host: "service.test", "upstash-schedule-id": "tick" },
    });
    await vi.advanceTimersByTimeAsync(120_000);
    const [, second] = await service.arrived(2);
    expect(timeOf(second)).toBe("2026-03-01T10:04:00.000Z");
    expect(second?.headers["upstash-message-id"]).not.toBe(first?.headers["upstash-message-id"]);
  });

  it("does not lose a minute that is due when it is created again", async () => {
    const service = await receiver();
    const { queue, client } = await queueTo(service.url);
    const schedule = { scheduleId: "tick", destination, cron: "* * * * *", retries: 0 };
    await client.schedules.create(schedule);
    vi.setSystemTime("2026-03-01T10:01:00.010Z");
    await client.schedules.create(schedule);
    queue.begin();
    const [delivery] = await service.arrived(1);
    expect(timeOf(delivery)).toBe("2026-03-01T10:01:00.010Z");
  });

  it("publishes nothing once it is deleted", async () => {
    const service = await receiver();
    const { queue, client } = await queueTo(service.url);
    queue.begin();
    await client.schedules.create({ scheduleId: "gone", destination, cron: "* * * * *" });
    await client.schedules.create({ scheduleId: "kept", destination, cron: "* * * * *" });
    await client.schedules.delete("gone");
    await expect(client.schedules.get("gone")).rejects.toThrow("No such schedule");
    await expect(client.schedules.delete("gone")).rejects.toThrow("No such schedule");
    await vi.advanceTimersByTimeAsync(60_000);
    await service.arrived(1);
    await vi.advanceTimersByTimeAsync(60_000);
    const ids = (await service.arrived(2)).map(({ headers }) => headers["upstash-schedule-id"]);
    expect(ids).toEqual(["kept", "kept"]);
  });

  it("publishes one message for all minutes through which the machine slept", async () => {
    const service = await receiver();
    const { queue, client } = await queueTo(service.url);
    queue.begin();
    await client.schedules.create({ scheduleId: "tick", destination, cron: "* * * * *" });
    vi.setSystemTime("2026-03-01T11:00:30.000Z");
    await vi.advanceTimersByTimeAsync(30_000);
    await service.arrived(1);
    expect(await nextOf(client, "tick")).toBe("2026-03-01T11:02:00.000Z");
    await vi.advanceTimersByTimeAsync(60_000);
    const times = (await service.arrived(2)).map(timeOf);
    expect(times).toEqual(["2026-03-01T11:01:00.000Z", "2026-03-01T11:02:00.000Z"]);
  });
});

describe("the next minute of a schedule", () => {
  it.each([
    ["* * * * *", "2026-03-01T10:07:00.000Z", "2026-03-01T10:08:00.000Z"],
    ["10-20/5,40 * * * *", "2026-03-01T10:20:00.000Z", "2026-03-01T10:40:00.000Z"],
    ["30 9 * * 1-5", "2026-03-06T09:30:00.000Z", "2026-03-09T09:30:00.000Z"],
    // 1 March 2026 is a Sunday.
    ["0 0 * * 0", "2026-02-28T12:00:00.000Z", "2026-03-01T00:00:00.000Z"],
    // Where both are restricted, the day of the month and the day of the week are alternatives.
    ["0 0 15 * 1", "2026-03-09T12:00:00.000Z", "2026-03-15T00:00:00.000Z"],
    ["0 0 15 * 1", "2026-03-15T12:00:00.000Z", "2026-03-16T00:00:00.000Z"],
    ["0 0 29 2 *", "2096-02-29T00:00:00.000Z", "2104-02-29T00:00:00.000Z"],
    // In London this time is skipped on that day. In UTC it is not.
    ["30 1 * * *", "2026-03-29T00:30:00.000Z", "2026-03-29T01:30:00.000Z"],
  ])("%s after %s: %s", (expression, after, next) => {
    expect(new Date(nextAfter(expression, Date.parse(after))).toISOString()).toBe(next);
  });

  it.each([
    "",
    "60 * * * *",
    "* * * * 7",
    "20-10 * * * *",
    "*/0 * * * *",
    "0 9 * * MON",
    "0 0 31 2 *",
    "@daily",
    "* * * * * *",
  ])("is refused for %j", (expression) => {
    expect(() => nextAfter(expression, Date.parse(START))).toThrow(
      "The local queue takes cron expressions of five fields in UTC",
    );
  });
});

describe("after a restart, a schedule", () => {
  it("goes on, without the minutes in which the queue was off", async () => {
    const service = await receiver();
    const before = await queueTo(service.url);
    before.queue.begin();
    await before.client.schedules.create({
      scheduleId: "tick",
      destination,
      cron: "* * * * *",
      body: "kept",
    });
    await before.queue.close();

    vi.setSystemTime("2026-03-01T10:30:15.000Z");
    const { queue, client } = await queueTo(service.url);
    expect(await nextOf(client, "tick")).toBe("2026-03-01T10:31:00.000Z");
    queue.begin();
    await vi.advanceTimersByTimeAsync(45_000);
    const deliveries = await service.arrived(1);
    expect(deliveries.map((delivery) => [timeOf(delivery), delivery.body])).toEqual([
      ["2026-03-01T10:31:00.000Z", "kept"],
    ]);
  });

  it("has the present public address", async () => {
    const before = await queueTo("http://127.0.0.1:9", { publicUrl: "http://127.0.0.1:1111" });
    await before.client.schedules.create({
      scheduleId: "tick",
      destination: "http://127.0.0.1:1111/functions/tick",
      cron: "* * * * *",
      callback: "http://127.0.0.1:1111/told",
      failureCallback: "http://127.0.0.1:11119/elsewhere",
    });
    await before.queue.close();

    const service = await receiver();
    const { queue, client } = await queueTo(service.url, { publicUrl: "http://127.0.0.1:2222" });
    expect(await client.schedules.get("tick")).toMatchObject({
      destination: "http://127.0.0.1:2222/functions/tick",
      callback: "http://127.0.0.1:2222/told",
      failureCallback: "http://127.0.0.1:11119/elsewhere",
    });
    queue.begin();
    await vi.advanceTimersByTimeAsync(30_000);
    const deliveries = await service.arrived(2);
    expect(deliveries.map(({ path: at }) => at)).toEqual(["/functions/tick", "/told"]);
  });
});

describe("the door of schedules", () => {
  const EVERY_MINUTE = { "upstash-cron": "* * * * *" };

  it.each([
    ["a wrong token", destination, { ...EVERY_MINUTE, authorization: "Bearer wrong" }, 401],
    ["a missing expression", destination, {}, 400],
    ["a zone of its own", destination, { ...EVERY_MINUTE, "upstash-timezone": "Europe/London" }, 400],
    ["a queue", destination, { ...EVERY_MINUTE, "upstash-queue-name": "q" }, 400],
  ])("refuses %s", async (_, to, headers: Record<string, string>, status) => {
    const { queue, client } = await queueTo("http://127.0.0.1:9");
    const response = await fetch(`${queue.url}/v2/schedules/${to}`, {
      method: "POST",
      headers: { authorization: `Bearer ${queue.token}`, ...headers },
      body: "{}",
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.any(String) });
    await expect(client.schedules.list()).resolves.toEqual([]);
  });
});
