import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { Follower } from "#durable-objects/project-sockets/chat/follower.ts";
import { TaskFeed } from "#durable-objects/project-sockets/chat/task-feed.ts";
import { Connection } from "#durable-objects/project-sockets/connection.ts";
import type { Followed, SocketState } from "#durable-objects/project-sockets/protocol.ts";
import { createLog } from "#src/platform/log/log.ts";
import { projectSockets } from "#src/platform/objects/project-sockets.ts";
import { taskLogs } from "#src/platform/objects/task-logs.ts";
import { newTrips } from "#src/platform/trips.ts";
import { bindings } from "./support/bindings.ts";

const namespace = bindings.PROJECT_SOCKETS;
const sockets = projectSockets(namespace, newTrips());
const logs = taskLogs(bindings.TASK_LOG, newTrips());

async function newTask() {
  const [taskId, chatId] = [crypto.randomUUID(), crypto.randomUUID()];
  const begun = await logs.begin(taskId, 1);
  if (begun.kind !== "run") throw new Error(`It did not begin: ${begun.kind}`);
  let sequence = 0;
  return {
    taskId,
    chatId,
    /** Log events of these types; they have the ids that follow. */
    async say(...types: string[]) {
      const events = types.map((type) => ({ type, data: JSON.stringify({ type, content: "word " }) }));
      await logs.append(taskId, begun.generation, { sequence: ++sequence, events });
    },
    async end() {
      const data = JSON.stringify({ type: "done", task_id: taskId });
      await logs.close(taskId, begun.generation, [{ type: "done", data }], true);
    },
  };
}

type Task = Awaited<ReturnType<typeof newTask>>;

/** A plain socket, which `follow` turns into one of a chat: a chat's own would query the database, which is absent here. */
async function open(project: string) {
  const userId = crypto.randomUUID();
  const { webSocket: socket } = await sockets.open(project, {
    kind: "chat",
    userId,
    standing: { kind: "user", userId, sessionId: crypto.randomUUID() },
    wish: { target: null, session: null, position: null, columns: 80, rows: 24 },
  });
  if (!socket) throw new Error("There is no socket");
  const ids: number[] = [];
  socket.addEventListener("message", ({ data }) => {
    const frame = JSON.parse(String(data));
    if (frame.type === "agent_event") ids.push(frame.event_id);
  });
  socket.accept();
  return ids;
}

/** Let all sockets of a project follow a task, each from another event on, as an eviction leaves them. */
async function follow(project: string, { taskId, chatId }: Task, after: (index: number) => number) {
  const stub = namespace.getByName(project);
  await runInDurableObject(stub, (_, state) => {
    for (const [index, socket] of state.getWebSockets().entries()) {
      const followed: Followed = { taskId, chatId, after: after(index), direct: false, asking: false };
      const kept = { ...socket.deserializeAttachment(), kind: "conversation", following: [followed] };
      socket.serializeAttachment(kept);
    }
  });
  await evictDurableObject(stub);
  // A notice wakes the object.
  await stub.notify({ type: "volume_ready", message: "" });
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** So many texts of a chat, then a question. While the question is open, nothing prevents an eviction. */
const asks = (count: number) => [...Array.from({ length: count }, () => "text_delta"), "approval_required"];

describe("chat sockets", () => {
  it("go on after evictions, each where it was, and to the end", async () => {
    const [project, task] = [crypto.randomUUID(), await newTask()];
    const clients = [await open(project), await open(project), await open(project)];
    const until = (last: number) =>
      vi.waitFor(() => expect(clients.map((ids) => ids.at(-1))).toEqual([last, last, last]));
    await task.say(...asks(9));
    await follow(project, task, (index) => index * 3);
    await until(10);
    // In which order the object has them is its own affair.
    expect(clients.map(([first]) => first ?? 0).toSorted((a, b) => a - b)).toEqual([1, 4, 7]);
    for (const last of [15, 20, 25]) {
      await evictDurableObject(namespace.getByName(project));
      await task.say("approval_answered", ...asks(3));
      await namespace.getByName(project).notify({ type: "volume_ready", message: "" });
      await until(last);
    }
    await evictDurableObject(namespace.getByName(project));
    await task.end();
    await namespace.getByName(project).notify({ type: "volume_ready", message: "" });
    await until(26);
    for (const ids of clients) expect(ids).toEqual(numbers(ids[0] ?? 0, 26));
    // No position is kept for a task that is over.
    await vi.waitFor(() =>
      runInDurableObject(namespace.getByName(project), (_, state) => {
        for (const socket of state.getWebSockets()) {
          expect(socket.deserializeAttachment()).toMatchObject({ following: [], shown: [task.taskId] });
        }
      }),
    );
  });

  it("are shown what comes as soon as an agent goes on that waited for an answer", async () => {
    const [project, task] = [crypto.randomUUID(), await newTask()];
    const ids = await open(project);
    await task.say(...asks(2));
    await follow(project, task, () => 0);
    await vi.waitFor(() => expect(ids).toEqual([1, 2, 3]));
    await evictDurableObject(namespace.getByName(project));
    await namespace.getByName(project).taskBegan(task.taskId);
    for (const last of [4, 5, 6]) {
      await task.say("approval_answered");
      await vi.waitFor(() => expect(ids).toEqual(numbers(1, last)));
    }
    await task.end();
    await vi.waitFor(() => expect(ids).toEqual(numbers(1, 7)));
  });
});

/** A log in memory, which is alive when the test says so, and its streams. */
function memoryLog() {
  const encoder = new TextEncoder();
  const logged: { id: number; type: string; content: string }[] = [];
  const streams: { after: number; isOpen: boolean; write: (text: string) => void }[] = [];
  const stream = async (_: string, after: number) => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (made) => void (controller = made),
      cancel: () => void (opened.isOpen = false),
    });
    const write = (text: string) => {
      if (opened.isOpen) controller?.enqueue(encoder.encode(text));
    };
    const opened = { after, isOpen: true, write };
    streams.push(opened);
    for (const event of logged) if (event.id > after) write(sse(event));
    return new Response(body);
  };
  const sse = ({ id, type, content }: (typeof logged)[number]) =>
    `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, content })}\n\n`;
  return {
    streams,
    /** Log events; the streams that are open are written to at once. */
    say(types: readonly string[], content = "") {
      const events = types.map((type, index) => ({ id: logged.length + 1 + index, type, content }));
      logged.push(...events);
      for (const { write } of streams) write(events.map(sse).join(""));
    },
    beAlive() {
      for (const { write } of streams) write(": keep-alive\n\n");
    },
    deps: { taskLogs: { ...logs, stream }, log: createLog() },
  };
}

/** A socket that follows `task`, its frames, and how it was closed. */
function newFollower(after = 0, lastPing = () => 0) {
  const { 0: client, 1: server } = new WebSocketPair();
  client.accept();
  server.accept();
  const followed: Followed = { taskId: "task", chatId: "chat", after, direct: true, asking: false };
  const state: SocketState = {
    kind: "conversation",
    userId: "user",
    standing: { kind: "user", userId: "user", sessionId: "session" },
    checkedAt: 0,
    terminal: null,
    log: null,
    following: [followed],
  };
  const ids: number[] = [];
  client.addEventListener("message", ({ data }) => {
    const text = String(data);
    if (text.startsWith("{")) ids.push(JSON.parse(text).event_id);
  });
  const closed = new Promise<number>((resolve) =>
    client.addEventListener("close", ({ code }) => resolve(code)),
  );
  const connection = new Connection(server, lastPing, state);
  return { connection, follower: new Follower(connection, followed), ids, closed };
}

const TASK = { id: "task", chatId: "chat", status: "running" } as const;

describe("the feed of a task", () => {
  it("is not read while the task waits for an answer, and goes on from there", async () => {
    const log = memoryLog();
    const feed = new TaskFeed(TASK, false, log.deps, () => {});
    const { follower, ids, connection } = newFollower();
    feed.join(follower);
    log.beAlive();
    log.say(["task_started", "approval_required"]);
    log.say(["tool_call"]);
    await vi.waitFor(() => expect(ids).toEqual([1, 2, 3]));
    expect(log.streams[0]?.isOpen).toBe(true);
    log.beAlive();
    await vi.waitFor(() => expect(log.streams[0]?.isOpen).toBe(false));
    expect(connection.state.following).toMatchObject([{ after: 3, asking: true }]);
    // A check finds nothing new and closes its stream.
    feed.goOn();
    await vi.waitFor(() => expect(log.streams).toHaveLength(2));
    log.beAlive();
    await vi.waitFor(() => expect(log.streams[1]?.isOpen).toBe(false));
    // A woken stream stays open, although nothing has come yet.
    feed.wake();
    await vi.waitFor(() => expect(log.streams).toHaveLength(3));
    expect(log.streams[2]?.after).toBe(3);
    log.beAlive();
    log.say(["approval_answered", "done"]);
    await vi.waitFor(() => expect(ids).toEqual([1, 2, 3, 4, 5]));
    expect(log.streams).toHaveLength(3);
    expect(feed.isOver).toBe(true);
    expect(connection.state).toMatchObject({ following: [], shown: ["task"] });
  });

  it("shows the rest from the log to a socket that is behind, and to all what is new", async () => {
    const log = memoryLog();
    const feed = new TaskFeed(TASK, false, log.deps, () => {});
    const [first, second, third] = [newFollower(), newFollower(), newFollower(1)];
    feed.join(first.follower);
    log.say(["a", "b"]);
    await vi.waitFor(() => expect(first.ids).toEqual([1, 2]));
    feed.join(second.follower);
    feed.join(third.follower);
    await vi.waitFor(() => expect([second.ids, third.ids]).toEqual([[1, 2], [2]]));
    await vi.waitFor(() => expect(log.streams.map(({ isOpen }) => isOpen)).toEqual([true, false, false]));
    log.say(["c", "d"]);
    const all = numbers(1, 4);
    await vi.waitFor(() => expect([first.ids, second.ids, third.ids]).toEqual([all, all, numbers(2, 4)]));
  });

  it("does not pile up for one socket what it cannot be sent yet", async () => {
    const log = memoryLog();
    const feed = new TaskFeed(TASK, false, log.deps, () => {});
    const { follower, ids } = newFollower();
    feed.join(follower);
    await vi.waitFor(() => expect(log.streams).toHaveLength(1));
    // Three megabytes at once: more than is sent in a second, and more than may wait.
    for (let count = 0; count < 10; count += 1) log.say(["tool_result"], "x".repeat(300_000));
    await vi.waitFor(() => expect(ids).toEqual(numbers(1, 10)));
    // It was read from the log.
    expect(log.streams.length).toBeGreaterThan(1);
    log.say(["done"]);
    await vi.waitFor(() => expect(ids).toEqual(numbers(1, 11)));
  });

  it("is over for a socket that takes much and says nothing; one that pings goes on", async () => {
    let ping = 0;
    const [silent, alive] = [newFollower(), newFollower(0, () => ping)];
    const log = memoryLog();
    const feed = new TaskFeed(TASK, false, log.deps, () => {});
    feed.join(silent.follower);
    feed.join(alive.follower);
    const megabyte = "x".repeat(1024 * 1024);
    for (let sent = 0; sent <= 32; sent += 1) {
      silent.connection.sendText(megabyte);
      alive.connection.sendText(megabyte);
    }
    ping = 1;
    log.say(["a"]);
    expect(await silent.closed).toBe(1013);
    log.say(["b"]);
    await vi.waitFor(() => expect(alive.ids).toEqual([1, 2]));
  });

  it("tells when the log is kept no longer", async () => {
    const failures: unknown[] = [];
    const { deps } = memoryLog();
    const none = { ...deps, taskLogs: { ...logs, stream: async () => new Response(null, { status: 404 }) } };
    const over = { ...TASK, status: "completed" } as const;
    const feed = new TaskFeed(over, false, none, (error) => failures.push(error));
    feed.join(newFollower().follower);
    await vi.waitFor(() => expect(failures).toMatchObject([{ code: "not_found" }]));
  });
});
