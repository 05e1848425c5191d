import { describe, expect, it } from "vitest";
import type { ChatEvent } from "#sdk/live/chat.ts";
import { ForbiddenError, NotFoundError } from "#sdk/errors.ts";
import { event, start } from "./support/scripted-chat.ts";
import { settled, take } from "./support/scripted-sockets.ts";

const wrapped = (task: string, id: number, type = "text_delta") => ({
  type: "agent_event",
  task_id: task,
  chat_id: "chat",
  event_id: id,
  payload: { type, content: "word" },
});
const accepted = (sent: Record<string, unknown> | undefined, task: string) => ({
  type: "message_accepted",
  task_id: task,
  chat_id: "chat",
  idempotency_key: sent?.["idempotency_key"],
});
const named = (events: readonly ChatEvent[]) =>
  events.map((each) => `${each.taskId}${each.eventId} ${each.event.type}`);

describe("events", () => {
  it("come bare and wrapped, each once, and resume after the last one of each task", async () => {
    const { source, clock, chat } = start();
    const events = chat.events();
    const first = await source.opened();
    expect(first.path).toBe("/ws/chat/project");
    expect(first.query).toEqual({});
    first.say(event("a", 1), wrapped("b", 1), event("a", 2), wrapped("b", 2), event("b", 3, "done"));
    first.end();
    await clock.pass(1_000);
    const second = await source.opened();
    expect(second.query).toEqual({ task_id: "a", last_event_id: "2", shown: "b" });
    second.say(event("a", 2), event("a", 3), wrapped("b", 3, "done"), event("a", 4, "done"));
    expect(named(await take(events, 7))).toEqual([
      "a1 text_delta",
      "b1 text_delta",
      "a2 text_delta",
      "b2 text_delta",
      "b3 done",
      "a3 text_delta",
      "a4 done",
    ]);
    chat.close();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it("keep the positions of all running tasks and of the last that ended", async () => {
    const { source, clock, chat } = start();
    const first = await source.opened();
    for (let task = 0; task < 100; task += 1) first.say(event(`ended${task}`, 1, "done"));
    for (let task = 0; task < 25; task += 1) first.say(event(`runs${task}`, 1));
    first.end();
    await clock.pass(1_000);
    const { query } = await source.opened();
    expect(query["task_id"]?.split(",")).toEqual(
      Array.from({ length: 20 }, (_, index) => `runs${index + 5}`),
    );
    expect(query["shown"]?.split(",")).toEqual(
      Array.from({ length: 32 }, (_, index) => `ended${index + 68}`),
    );
    // The five others come from their beginning, and are recognised.
    source.sockets.at(-1)?.say(wrapped("runs0", 1), wrapped("runs0", 2));
    const shown = await take(chat.events(), 126);
    expect(named(shown.slice(-1))).toEqual(["runs02 text_delta"]);
  });

  it("begin after the ones that the caller has", async () => {
    const { source, chat } = start({ resume: { a: 7 } });
    const socket = await source.opened();
    expect(socket.query).toEqual({ task_id: "a", last_event_id: "7", shown: "" });
    socket.say(event("a", 7), event("a", 8));
    expect(named(await take(chat.events(), 1))).toEqual(["a8 text_delta"]);
  });

  it("of unknown types pass through, errors of no call too, and notices go to their own function", async () => {
    const notices: string[] = [];
    const { source, chat } = start({ onNotice: ({ type }) => notices.push(type) });
    const socket = await source.opened();
    socket.say(
      { type: "status_update", payload: {} },
      event("a", 1, "brand_new", { data: { x: 1 } }),
      { type: "error", message: "Try again", task_id: "a", data: { code: "unavailable" } },
      { type: "error", message: "Rate limit exceeded", data: { code: "rate_limited" } },
    );
    const [first, second] = await take(chat.events(), 2);
    expect(first?.event).toMatchObject({ type: "brand_new", data: { x: 1 } });
    expect(second).toMatchObject({ taskId: "a", eventId: 0, event: { type: "error", message: "Try again" } });
    expect(notices).toEqual(["status_update", "error"]);
  });

  it("stop for a slow reader, and go on from where it is", async () => {
    const { source, chat } = start();
    const first = await source.opened();
    const content = "x".repeat(512 * 1024);
    for (let id = 1; id <= 20; id += 1) first.say(event("a", id, "text_delta", { content }));
    await settled();
    expect(first.readyState).toBe(3);
    expect(source.sockets).toHaveLength(1);
    const events = chat.events();
    const read = await take(events, 8);
    const second = await source.opened();
    expect(second.query["last_event_id"]).toBe("8");
    second.say(event("a", 9), event("a", 10, "done"));
    read.push(...(await take(events, 2)));
    expect(read.map(({ eventId }) => eventId)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("that are not read do not hold up messages", async () => {
    const { source, chat } = start();
    const first = await source.opened();
    const content = "x".repeat(5 * 1024 * 1024);
    first.say(event("a", 1, "text_delta", { content }));
    await settled();
    const sending = chat.send({ message: "Hello" });
    const second = await source.opened();
    second.say(event("a", 2), accepted(second.sent[0], "b"));
    expect(await sending).toEqual({ task_id: "b", chat_id: "chat" });
    await settled();
    expect(second.readyState).toBe(3);
    const events = chat.events();
    await take(events, 1);
    const third = await source.opened();
    expect(third.query).toMatchObject({ task_id: "a", last_event_id: "1" });
  });

  it("end a loop at an abort, and a later loop continues", async () => {
    const { source, chat } = start();
    const socket = await source.opened();
    const stop = new AbortController();
    const reading = chat.events({ signal: stop.signal }).next();
    await settled();
    stop.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    socket.say(event("a", 1));
    expect(named(await take(chat.events(), 1))).toEqual(["a1 text_delta"]);
  });
});

describe("a message", () => {
  it("resolves when it is accepted, and is shown to its sender first", async () => {
    const { source, chat } = start({ agentId: "agent" });
    const sending = chat.send({ message: "Hello", edit_mode: "ask" });
    const socket = await source.opened();
    expect(socket.sent).toEqual([
      {
        type: "message",
        message: "Hello",
        edit_mode: "ask",
        agent_id: "agent",
        idempotency_key: expect.any(String),
      },
    ]);
    socket.say(accepted(socket.sent[0], "a"), event("a", 1));
    expect(await sending).toEqual({ task_id: "a", chat_id: "chat" });
    const events = await take(chat.events(), 2);
    expect(named(events)).toEqual(["a0 user_message", "a1 text_delta"]);
    expect(events[0]?.event["content"]).toBe("Hello");
  });

  it("without an acceptance is sent again under its key, and in order", async () => {
    const { source, clock, chat } = start();
    const first = await source.opened();
    const both = [chat.send({ message: "one" }), chat.send({ message: "two" })];
    await settled();
    first.end();
    await clock.pass(1_000);
    const second = await source.opened();
    expect(second.sent).toEqual(first.sent);
    expect(second.sent.map(({ message }) => message)).toEqual(["one", "two"]);
    second.say(accepted(second.sent[0], "a"), accepted(second.sent[1], "b"));
    expect((await Promise.all(both)).map(({ task_id }) => task_id)).toEqual(["a", "b"]);
    second.end();
    await clock.pass(1_000);
    expect((await source.opened()).sent).toEqual([]);
  });

  it("that is refused rejects, and no other does", async () => {
    const { source, chat } = start();
    const [bad, good] = [chat.send({ message: "bad" }), chat.send({ message: "good" })];
    const socket = await source.opened();
    socket.say(
      {
        type: "error",
        message: "Chat not found",
        idempotency_key: socket.sent[0]?.["idempotency_key"],
        data: { code: "not_found" },
      },
      accepted(socket.sent[1], "b"),
    );
    await expect(bad).rejects.toBeInstanceOf(NotFoundError);
    expect(await good).toMatchObject({ task_id: "b" });
  });

  it("that the service cannot store yet is repeated", async () => {
    const { source, clock, chat } = start();
    const sending = chat.send({ message: "Hello" });
    const socket = await source.opened();
    const [{ idempotency_key } = {}] = socket.sent;
    socket.say({ type: "error", message: "Later", idempotency_key, data: { code: "unavailable" } });
    await clock.pass(1_000);
    expect(socket.sent).toHaveLength(2);
    socket.say(accepted(socket.sent[1], "a"));
    expect(await sending).toMatchObject({ task_id: "a" });
  });

  it("waits while many are on their way, and is refused when it is too long for a frame", async () => {
    const { source, chat } = start();
    const socket = await source.opened();
    const all = Array.from({ length: 30 }, (_, index) => chat.send({ message: String(index) }));
    await settled();
    expect(socket.sent).toHaveLength(10);
    for (let index = 0; index < 30; index += 1) socket.say(accepted(socket.sent[index], `t${index}`));
    expect((await Promise.all(all)).map(({ task_id }) => task_id)).toEqual(
      Array.from({ length: 30 }, (_, index) => `t${index}`),
    );
    await expect(chat.send({ message: "x".repeat(70_000) })).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("is given up at an abort, and rejects when the chat is closed", async () => {
    const { source, chat } = start();
    await source.opened();
    const stop = new AbortController();
    const given = chat.send({ message: "one" }, { signal: stop.signal });
    const closed = chat.send({ message: "two" });
    stop.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    chat.close();
    await expect(closed).rejects.toMatchObject({ code: "closed" });
    await expect(chat.send({ message: "three" })).rejects.toMatchObject({ code: "closed" });
  });
});

describe("answers and stops", () => {
  it("resolve when they are done, and reject with the service's refusal", async () => {
    const { source, chat } = start();
    const socket = await source.opened();
    const calls = [chat.approve("p", "allow_once"), chat.cancel("a"), chat.approve("q", "stop")] as const;
    await settled();
    const ids = socket.sent.map(({ request_id }) => request_id);
    expect(socket.sent).toMatchObject([
      { type: "approval_response", approval_id: "p", response: "allow_once" },
      { type: "cancel", task_id: "a" },
      { type: "approval_response", approval_id: "q", response: "stop" },
    ]);
    socket.say(
      { type: "request_done", request_id: ids[1] },
      { type: "error", message: "Only people", request_id: ids[2], data: { code: "forbidden" } },
      { type: "request_done", request_id: ids[0] },
    );
    await Promise.all([calls[0], calls[1]]);
    await expect(calls[2]).rejects.toBeInstanceOf(ForbiddenError);
  });

  it("that are repeated take their own first attempt for done", async () => {
    const { source, clock, chat } = start();
    const first = await source.opened();
    const cancelling = chat.cancel("a");
    await settled();
    first.end();
    await clock.pass(1_000);
    const second = await source.opened();
    const request_id = second.sent[0]?.["request_id"];
    second.say({ type: "error", message: "Cancelled already", request_id, data: { code: "conflict" } });
    await cancelling;
    const again = chat.cancel("a");
    await settled();
    const next = second.sent[1]?.["request_id"];
    second.say({ type: "error", message: "Cancelled already", request_id: next, data: { code: "conflict" } });
    await expect(again).rejects.toMatchObject({ code: "conflict" });
  });
});
