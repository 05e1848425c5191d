import { describe, expect, it } from "vitest";
import { newChatClient, openStream } from "#test/support/chat-client.ts";
import { signUpAdministrator } from "#test/support/administrators.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
const client = await newChatClient(service);

const simple = (json: object, token = client.account.token) =>
  openStream(service, "POST", "/api/chat/stream", { token, json: { project_id: client.projectId, ...json } });

const WORK = script(
  { text: "I write it.", tools: [call("write_file", { path: "a.txt", content: "one" })] },
  { text: "Done." },
);

describe("the stream of the interface", () => {
  it("has bare frames of three types", async () => {
    const stream = await simple({ message: WORK });
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/u);
    const text = await stream.text();
    const blocks = text.split("\n\n").filter((block) => block !== "" && !block.startsWith(":"));
    expect(text).not.toContain("\r");
    expect(blocks.every((block) => /^data: \{.*\}$/u.test(block))).toBe(true);
    const frames = blocks.map((block) => JSON.parse(block.slice(6)));
    expect(frames).toEqual([
      { type: "message", content: "I write it." },
      {
        type: "tool_execution",
        tool: "write_file",
        args: { path: "a.txt", content: "one" },
        result: expect.stringContaining("a.txt"),
      },
      { type: "message", content: "Done." },
    ]);
  });

  it("has an answer in words also where the model says nothing", async () => {
    const silent = script({ tools: [call("list_dir", { dir_path: "." })] }, { text: "" });
    const frames = await Array.fromAsync((await simple({ message: silent })).frames());
    expect(frames).toMatchObject([
      { type: "tool_execution", tool: "list_dir" },
      { type: "message", content: expect.stringContaining("without a word") },
    ]);
  });

  it("runs on when the client goes", async () => {
    const slow = script({ text: "a long answer indeed", chunks: 4, delay_ms: 300 });
    const stream = await simple({ message: slow });
    for await (const _ of stream.frames()) break;
    const gone = await simple({ message: "next", chat_id: stream.chatId });
    await gone.text();
    const ended = await client.replay(stream.taskId);
    expect(ended.at(-1)).toMatchObject({ type: "done", data: { status: "completed" } });
  });

  it.each([
    ["a person", () => client],
    ["an administrator", async () => newTaskClient(service, { account: await signUpAdministrator(service) })],
  ])("comes within its budget of round trips, to %s", async (_, sender) => {
    const { account, projectId } = await sender();
    const stream = await simple({ message: "Hello", project_id: projectId }, account.token);
    const trips = stream.headers.get("server-timing") ?? "";
    await stream.text();
    const count = (kind: string) => Number(new RegExp(`${kind};desc="(\\d+)"`, "u").exec(trips)?.[1]);
    // The task's log is told to begin, then read. A third call to an object is the limit's, which is off here.
    expect({ db: count("db"), objects: count("objects"), publish: count("publish") }).toEqual({
      db: 2,
      objects: 2,
      publish: 0,
    });
  });
});

describe("the rich stream", () => {
  it("tells everything, in bare frames", async () => {
    const frames = await client.ask(WORK, { edit_mode: "allow" });
    expect(frames.every(({ type }) => typeof type === "string")).toBe(true);
    const types = frames.map(({ type }) => type).filter((type) => type !== "agent_heartbeat");
    expect(types[0]).toBe("task_started");
    expect(types.filter((type) => type === "task_started")).toHaveLength(1);
    expect(types).toEqual(
      expect.arrayContaining(["text_delta", "tool_start", "tool_call", "agent_step", "complete"]),
    );
    expect(types.at(-1)).toBe("done");
    expect(frames.find(({ type }) => type === "tool_call")?.data).toMatchObject({
      iteration: 1,
      index: 0,
      total: 1,
      name: "write_file",
      parameters: { path: "a.txt" },
      result: { success: true },
    });
    expect(frames.find(({ type }) => type === "complete")?.data).toMatchObject({
      success: true,
      final_response: "Done.",
      completion_reason: "stop",
      usage: {
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
        cached_input_tokens: expect.any(Number),
        cache_write_tokens: expect.any(Number),
      },
    });
  });

  it("can be come back to, by an id or by none, to the end and after it", async () => {
    const slow = script({ text: "one two three four", delay_ms: 150 });
    const stream = await client.send(slow);
    const seen = [];
    for await (const frame of stream.frames()) {
      seen.push(frame);
      if (frame.type === "text_delta") break;
    }
    const all = await client.replay(stream.taskId);
    const ids = all.flatMap(({ id }) => id ?? []);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    const later = await client.replay(stream.taskId, 3);
    expect(later.flatMap(({ id }) => id ?? [])).toEqual(ids.slice(3));
    const path = `/api/chat/agent/events/${stream.taskId}`;
    const { token } = client.account;
    const byHeader = await openStream(service, "GET", path, { token, headers: { "last-event-id": "3" } });
    expect((await Array.fromAsync(byHeader.frames())).flatMap(({ id }) => id ?? [])).toEqual(ids.slice(3));
  });

  it("finds what is under way, and stops it", async () => {
    const stream = await client.send(script({ text: "late", first_delay_ms: 60_000 }));
    const query = `project_id=${client.projectId}&chat_id=${stream.chatId}`;
    const active = async () => (await client.call("GET", `/api/chat/agent/active?${query}`)).body;
    expect(await active()).toMatchObject({ task_id: stream.taskId, chat_id: stream.chatId });
    const inProject = await client.call<{ tasks: { task_id: string }[] }>(
      "GET",
      `/api/chat/agent/active-in-project?project_id=${client.projectId}`,
    );
    expect(inProject.body.tasks.map(({ task_id }) => task_id)).toContain(stream.taskId);
    const cancel = `/api/chat/agent/cancel/${stream.taskId}`;
    expect((await client.call("POST", cancel)).body).toEqual({
      status: "cancellation_requested",
      task_id: stream.taskId,
    });
    const frames = await Array.fromAsync(stream.frames());
    expect(frames.find(({ type }) => type === "complete")?.data).toMatchObject({
      completion_reason: "cancelled",
    });
    expect((await client.call("POST", cancel)).body).toEqual({ status: "cancelled", task_id: stream.taskId });
    expect(await active()).toBeNull();
  });

  it("stops all that a chat has under way", async () => {
    const first = await client.send(script({ text: "late", first_delay_ms: 60_000 }));
    const second = await client.send("waits", { chat_id: first.chatId });
    const path = `/api/chat/agent/force-cancel?chat_id=${first.chatId}`;
    expect((await client.call("POST", path)).body).toMatchObject({ status: "force_cancelled" });
    for (const stream of [first, second]) {
      expect((await Array.fromAsync(stream.frames())).at(-1)).toMatchObject({
        type: "done",
        data: { status: "cancelled" },
      });
    }
    expect((await client.call("POST", path)).body).toMatchObject({ status: "no_lock_found" });
  });
});

describe("the answer in one piece", () => {
  it("comes when the work is done", async () => {
    const { status, body } = await client.call("POST", "/api/chat/agent", {
      project_id: client.projectId,
      message: WORK,
      edit_mode: "allow",
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        success: true,
        iterations: 2,
        final_response: "Done.",
        tool_calls_made: 1,
        completion_reason: "stop",
        error: null,
        steps: [
          { iteration: 1, tool_calls: [{ name: "write_file" }] },
          { iteration: 2, is_complete: true },
        ],
      },
    });
  });

  it("ends after the turns that were asked for", async () => {
    const { body } = await client.call("POST", "/api/chat/agent", {
      project_id: client.projectId,
      message: WORK,
      edit_mode: "allow",
      max_iterations: 1,
    });
    expect(body).toMatchObject({ success: false, completion_reason: "max_iterations", iterations: 1 });
  });
});
