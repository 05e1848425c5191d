import { describe, expect, it } from "vitest";
import { collectEvents, type TaskEvent } from "#test/support/events.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
/** The events that a reader got that connected as soon as an event was seen, by the id of that event. */
const live = new Map<number, Promise<TaskEvent[]>>();

/** Positions from which the rest is read. */
const EVERY = 60;

/** 12 turns of 12 calls: start and result of each, and the end of the turn. */
const TURN = {
  first_delay_ms: 60,
  tools: Array.from({ length: 12 }, () => call("get_project_info", {})),
};
const LONG_TASK = script(...Array.from({ length: 12 }, () => TURN), { text: "That was long." });

const client = await newTaskClient(service);
const taskId = (await client.start(LONG_TASK)).task_id;
const events: TaskEvent[] = [];
for await (const event of client.events(taskId)) {
  events.push(event);
  if (event.id % EVERY === 0) live.set(event.id, client.end(taskId, event.id));
}

/** Compare as text: one comparison of a few hundred events is cheap, six hundred of them are not. */
const asText = (list: readonly TaskEvent[]) => list.map((event) => JSON.stringify(event)).join("\n");
const rest = (id: number) => asText(events.slice(id));
const request = (more: { after?: number; afterHeader?: number }) =>
  collectEvents({ url: service.url, key: client.key, taskId, ...more });

const stream = (path: string, token = client.key, headers: Record<string, string> = {}) =>
  service.call<{ detail: string }>("GET", `/api/external/agent/events/${path}`, { token, headers });

describe("a task of 300 events", () => {
  it("gives a reader that reconnects while it runs exactly the rest, from any event", async () => {
    for (const [id, reading] of live) expect(asText(await reading), `after ${id}`).toBe(rest(id));
  });

  it.each([
    ["the query", (id: number) => ({ after: id })],
    ["the header of a browser", (id: number) => ({ afterHeader: id })],
  ])("gives a reader that comes back after the end exactly the rest, by %s", async (_, position) => {
    const ids = [0, 1, ...live.keys(), events.length - 1, events.length];
    const readings = await Promise.all(ids.map((id) => request(position(id))));
    for (const [index, reading] of readings.entries()) {
      expect(asText(reading), `after ${ids[index]}`).toBe(rest(ids[index] ?? 0));
    }
  });

  it("has nothing more for a reader that is beyond its end", async () => {
    expect(await request({ after: events.length + 1000 })).toEqual([]);
  });

  it("tells a browser that has all of it not to come back", async () => {
    const at = (id: number) => stream(taskId, client.key, { "last-event-id": String(id) });
    expect((await at(events.length)).status).toBe(204);
    expect((await at(events.length - 1)).status).toBe(200);
    expect((await stream(`${taskId}?last_event_id=${events.length}`)).status).toBe(200);
    const path = `/api/chat/agent/events/${taskId}`;
    const headers = { "last-event-id": String(events.length) };
    expect((await service.call("GET", path, { token: client.account.token, headers })).status).toBe(204);
  });
});

describe("the stream", () => {
  it("is Server-Sent Events that no proxy may hold back", async () => {
    const { headers, text } = await stream(taskId);
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("cache-control")).toContain("no-cache");
    expect(headers.get("x-accel-buffering")).toBe("no");
    expect(text).toMatch(/^(id: \d+\nevent: \w+\ndata: \{.+\}\n\n)+$/u);
  });

  it("refuses a reader who is ahead of a running task, which could not know what it missed", async () => {
    const id = (await client.start(script({ text: "I am thinking about it", chunks: 3, delay_ms: 60_000 })))
      .task_id;
    await client.event(id, "text_delta");
    const refused = { status: 400, body: { detail: expect.stringContaining("1000000") } };
    expect(await stream(id, client.key, { "last-event-id": "1000000" })).toMatchObject(refused);
    await client.cancel(id);
    expect((await client.end(id)).at(-1)?.type).toBe("done");
  });

  it("refuses a position that is none with 422, in the query and in the header", async () => {
    for (const position of ["-1", "evt_1", "99999999999999999999"]) {
      const query = await stream(`${taskId}?last_event_id=${encodeURIComponent(position)}`);
      const header = await stream(taskId, client.key, { "last-event-id": position });
      for (const { status, body } of [query, header]) {
        expect([position, status, body]).toEqual([position, 422, { detail: expect.any(String) }]);
      }
    }
  });
});
