import type http from "node:http";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConnectionError, Workspace, type TaskEvent } from "@agent-workspace/client";
import { collectGarbage } from "#test/support/collect-garbage.ts";
import { some } from "#test/support/draw.ts";
import { quickClock } from "./support/scripted-fetch.ts";
import {
  beginStream,
  cut,
  frame,
  framesOfTask,
  startEventServer,
  type Answerer,
  type EventServer,
} from "./support/event-server.ts";

const FRAMES = framesOfTask();
const IDS = FRAMES.map((_, index) => index + 1);

let server: EventServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function taskAt(answer: Answerer, clock = quickClock()) {
  server = await startEventServer(answer);
  return new Workspace({ baseUrl: server.url, apiKey: "tsk_test" }, clock).tasks.get("t");
}

async function collect(events: AsyncIterable<TaskEvent>): Promise<TaskEvent[]> {
  const all = [];
  for await (const event of events) all.push(event);
  return all;
}

const idsOf = (events: readonly TaskEvent[]) => events.map(({ id }) => id);

/** The rest of the stream after an event, complete. */
function finish(response: http.ServerResponse, last: number): void {
  beginStream(response).end(FRAMES.slice(last).join(""));
}

const busy: Answerer = (response) => void response.writeHead(503, { "retry-after": "9" }).end();
const fail: Answerer = (response) => void response.destroy();
const one: Answerer = (response, last) => void beginStream(response).end(FRAMES[last]);

describe("a stream of events", () => {
  it("passes on types and fields that are not known", async () => {
    const events = await collect((await taskAt(finish)).events());
    expect(events[2]).toEqual({ id: 3, type: "from_the_future", data: { field: [1, 2, 3] } });
    expect(events[1]).toMatchObject({ content: "Größe: 漢字 🙂\n\nid: 9\ndata: no event" });
  });

  it("that is cut at any of its bytes gives each event once, in order", async () => {
    const bytes = Buffer.from(`: keep-alive\n\n${FRAMES.join("")}`);
    const isCut = new Set<string>();
    server = await startEventServer(async (response, last, request) => {
      const id = path.basename(new URL(request.url ?? "", "http://server").pathname);
      if (isCut.has(id)) return finish(response, last);
      isCut.add(id);
      await cut(response, bytes.subarray(0, Number(id)));
    });
    const { tasks } = new Workspace({ baseUrl: server.url, apiKey: "tsk_test" }, quickClock());
    // In a long run each of them.
    const places = some(
      Array.from({ length: bytes.length + 1 }, (_, place) => place),
      150,
    );
    const count = places.length;
    const readAll = async () => {
      for (let place = places.pop(); place !== undefined; place = places.pop()) {
        const events = await collect(tasks.get(String(place)).events());
        expect(idsOf(events), `cut at ${place}`).toEqual(IDS);
      }
    };
    await Promise.all(Array.from({ length: 16 }, readAll));
    expect(isCut.size).toBe(count);
  });

  it("that doubles events, and goes back, gives each once", async () => {
    const task = await taskAt((response) => {
      const doubled = FRAMES.flatMap((each, index) => [...FRAMES.slice(0, index), each, each]);
      beginStream(response).end(doubled.join(""));
    });
    expect(idsOf(await collect(task.events()))).toEqual(IDS);
  });

  it("that lacks an event is asked again after the last one", async () => {
    let isFirst = true;
    const task = await taskAt((response, last) => {
      const frames = FRAMES.slice(last);
      if (isFirst) frames.splice(2, 1);
      isFirst = false;
      beginStream(response).end(frames.join(""));
    });
    expect(idsOf(await collect(task.events()))).toEqual(IDS);
    expect(server?.asked).toEqual([0, 2]);
  });

  const rubbish: Record<string, Answerer> = {
    "a limit": (response) =>
      void response.writeHead(429, { "content-type": "application/json" }).end('{"detail":"slow down"}'),
    "a failing gateway": (response) => void response.writeHead(502).end(),
    "a page": (response) =>
      void response.writeHead(200, { "content-type": "text/html" }).end(FRAMES.join("")),
    "JSON that is cut off": (response) => void beginStream(response).end('id: 1\ndata: {"type":"task_st\n\n'),
    "a list as an event": (response) => void beginStream(response).end("id: 1\ndata: []\n\n"),
    "an event with a strange id": (response) =>
      void beginStream(response).end('id: 1e3\ndata: {"type":"done"}\n\n'),
    "bytes that are no text": (response) => void beginStream(response).end(Buffer.alloc(5000, 0xff)),
    nothing: (response) => void beginStream(response).end(),
    "a broken connection": (response) => void response.destroy(),
  };

  it.each(Object.entries(rubbish))("goes on after %s", async (_, answer) => {
    const turns: Answerer[] = [
      answer,
      (response, last) => void beginStream(response).end(FRAMES[last]),
      answer,
      answer,
    ];
    const task = await taskAt((response, last, request) =>
      (turns.shift() ?? finish)(response, last, request),
    );
    expect(idsOf(await collect(task.events()))).toEqual(IDS);
  });

  it("waits longer after each failure in a row, or as long as is asked, and begins anew after an event", async () => {
    const clock = quickClock();
    const turns = [fail, fail, busy, one, fail];
    const task = await taskAt(
      (response, last, request) => (turns.shift() ?? finish)(response, last, request),
      clock,
    );
    await collect(task.events());
    expect(clock.waits).toEqual([500, 1000, 9000, 500, 1000]);
  });

  it("ends with the last error after so many failures in a row", async () => {
    const task = await taskAt((response) => void response.destroy());
    await expect(collect(task.events({ maxReconnects: 4 }))).rejects.toBeInstanceOf(ConnectionError);
    expect(server?.asked).toHaveLength(5);
  });

  it("takes a connection for dead after 45 seconds of silence, which a heartbeat breaks", async () => {
    const silences: { pass: () => void; signal: AbortSignal | undefined }[] = [];
    const quick = quickClock();
    const clock = {
      ...quick,
      sleep: (ms: number, signal?: AbortSignal) => {
        if (ms !== 45_000) return quick.sleep(ms, signal);
        return new Promise<void>((resolve) => silences.push({ pass: resolve, signal }));
      },
    };
    const streams: http.ServerResponse[] = [];
    const task = await taskAt((response, last) => {
      streams.push(response);
      if (streams.length > 1) finish(response, last);
      else beginStream(response).write(FRAMES[0]);
    }, clock);
    const events = task.events();
    await events.next();
    const second = events.next();
    await vi.waitFor(() => expect(silences.at(-1)?.signal?.aborted).toBe(false));
    const { length } = silences;
    streams[0]?.write(": keep-alive\n\n");
    await vi.waitFor(() => expect(silences.length).toBeGreaterThan(length));
    expect(silences[length - 1]?.signal?.aborted).toBe(true);
    silences.at(-1)?.pass();
    expect((await second).value).toMatchObject({ id: 2 });
    expect(server?.asked).toEqual([0, 1]);
    await events.return();
  });

  it.each([404, 501])("ends at %i", async (status) => {
    const task = await taskAt(
      (response) => void response.writeHead(status, { "content-type": "application/json" }).end("{}"),
    );
    await expect(collect(task.events())).rejects.toMatchObject({ status });
    expect(server?.asked).toHaveLength(1);
  });

  it("ends at a 204, and asks by header too, without which a finished task has an empty stream", async () => {
    const headers: unknown[] = [];
    const task = await taskAt((response, _, request) => {
      headers.push(request.headers["last-event-id"]);
      response.writeHead(204).end();
    });
    expect(await collect(task.events({ after: 5 }))).toEqual([]);
    expect(headers).toEqual(["5"]);
  });

  it("closes its connection when its reader leaves", async () => {
    const closed = Promise.withResolvers<void>();
    const task = await taskAt((response) => {
      response.on("close", () => closed.resolve());
      beginStream(response).write(FRAMES[0]);
    });
    for await (const event of task.events()) if (event.id === 1) break;
    await closed.promise;
    expect(server?.asked).toHaveLength(1);
  });

  it("ends with its signal's reason, also while nothing comes and while it waits", async () => {
    const reason = new Error("enough");
    const quiet = await taskAt((response) => void beginStream(response).write(FRAMES[0]));
    const control = new AbortController();
    const reading = collect(quiet.events({ signal: control.signal }));
    setTimeout(() => control.abort(reason), 50);
    await expect(reading).rejects.toBe(reason);
    await expect(collect(quiet.events({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  });

  it("is read no faster than its reader: the server has to wait", async () => {
    const filler = "x".repeat(10_000);
    let written = 0;
    const task = await taskAt(async (response) => {
      beginStream(response).setMaxListeners(Infinity);
      for (let id = 1; id <= 5_000 && !response.destroyed; id += 1) {
        written = id;
        const isFree = response.write(frame(id, { type: "text_delta", content: filler }));
        if (isFree) continue;
        await new Promise((resolve) => {
          response.once("drain", resolve);
          response.once("close", resolve);
        });
      }
      response.end();
    });
    const events = task.events();
    await events.next();
    // What the sockets hold is full when nothing has been written for a while.
    for (let before = -1; before !== written;) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(written).toBeLessThan(2_000);
    await events.return();
  });

  it("keeps nothing of 5,000 events", async () => {
    const COUNT = 5_000;
    const task = await taskAt((response, last) => {
      const chunk: string[] = [];
      for (let id = last + 1; id <= Math.min(last + 2_000, COUNT); id += 1) {
        chunk.push(frame(id, { type: id === COUNT ? "done" : "text_delta", content: "word " }));
      }
      // Several connections, each with a part.
      beginStream(response).end(chunk.join(""));
    });
    let count = 0;
    const references: WeakRef<TaskEvent>[] = [];
    for await (const event of task.events()) {
      count += 1;
      if (count % 250 === 0) references.push(new WeakRef(event));
    }
    expect(count).toBe(COUNT);
    const kept = async () => {
      await collectGarbage();
      return references.filter((each) => each.deref() !== undefined).length;
    };
    // What was made while a collection was going on outlives it, and is gone with the next one.
    await expect.poll(kept).toBeLessThan(3);
  });
});
