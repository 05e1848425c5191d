import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ReceivedCallback } from "#local/callbacks/index.ts";
import { idsOf, range, type TaskEvent } from "#test/support/events.ts";
import { startReceiver, type Receiver } from "#test/support/receiver.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { call, newTaskClient, script, type TaskClient, type TaskStatus } from "#test/support/task-client.ts";

let service: TestService;
let receiver: Receiver;
let client: TaskClient;
beforeAll(async () => {
  service = await startService({ OUTBOUND_ALLOW_PRIVATE: "true" });
  receiver = await startReceiver();
  client = await newTaskClient(service);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const THREE_CALLS = script(
  {
    text: "I will write the notes.",
    tools: [call("write_file", { path: "docs/notes.md", content: "one\ntwo\n" })],
  },
  { tools: [call("bash_exec", { command: "wc -l < docs/notes.md" })] },
  { tools: [call("read_file", { path: "docs/notes.md" })] },
  { text: "The notes have two lines.", chunks: 5, delay_ms: 60 },
);

const TOOL_TURN = ["tool_start", "tool_result", "agent_step"];
const typesOf = (events: readonly TaskEvent[]) => events.map(({ type }) => type);
const textOf = (events: readonly TaskEvent[]) => events.map(({ body }) => body.content ?? "").join("");

describe("a task of three tool calls and an answer", () => {
  let events: TaskEvent[];
  let status: TaskStatus;
  let invoked: Awaited<ReturnType<TaskClient["start"]>>;
  beforeAll(async () => {
    invoked = await client.start(THREE_CALLS, { webhook_url: `${receiver.url}/three` });
    events = await client.end(invoked.task_id);
    status = await client.status(invoked.task_id);
  });

  it("is acknowledged with where to watch it", () => {
    expect(invoked).toEqual({
      task_id: expect.any(String),
      chat_id: expect.any(String),
      events_url: `/api/external/agent/events/${invoked.task_id}`,
      status: "queued",
    });
  });

  it("tells all of it in order, with ids from 1 without a gap", () => {
    expect(idsOf(events)).toEqual(range(1, events.length));
    expect(typesOf(events).filter((type) => type !== "text_delta")).toEqual([
      "task_started",
      ...TOOL_TURN,
      ...TOOL_TURN,
      ...TOOL_TURN,
      "agent_step",
      "complete",
      "done",
    ]);
    for (const { type, body } of events) expect(body.type).toBe(type);
  });

  it("streams the text of each turn before the turn's end", () => {
    const [first, , , last] = events.flatMap(({ type }, index) => (type === "agent_step" ? [index] : []));
    const deltas = (from: number, to: number) =>
      events.slice(from, to).filter(({ type }) => type === "text_delta");
    expect(textOf(deltas(0, first ?? 0))).toBe("I will write the notes.");
    expect(textOf(deltas((first ?? 0) + 1, last ?? 0))).toBe("The notes have two lines.");
  });

  it("shows what each tool was asked and what it answered, under both ways to read it", () => {
    const results = events.filter(({ type }) => type === "tool_result").map(({ body }) => body);
    expect(results).toMatchObject([
      {
        tool: "write_file",
        args: { path: "docs/notes.md" },
        data: { iteration: 1, index: 0, total: 1, name: "write_file", result: { success: true } },
      },
      { tool: "bash_exec", data: { iteration: 2, result: { success: true, exit_code: 0, stdout: "2\n" } } },
      { tool: "read_file", result: { success: true }, data: { parameters: { path: "docs/notes.md" } } },
    ]);
    expect(JSON.stringify(results[2]?.result)).toContain("two");
  });

  it("ends with one `complete` and one `done` that agree with the status", () => {
    expect(events.slice(-2).map(({ body }) => body)).toMatchObject([
      {
        data: {
          success: true,
          iterations: 4,
          tool_calls_made: 3,
          final_response: "The notes have two lines.",
          completion_reason: "stop",
          usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
        },
      },
      {
        status: "completed",
        response: "The notes have two lines.",
        data: { task_id: invoked.task_id, status: "completed" },
      },
    ]);
  });

  it("has a status under the names of both client families", () => {
    expect(status).toMatchObject({
      task_id: invoked.task_id,
      chat_id: invoked.chat_id,
      project_id: client.projectId,
      status: "completed",
      response: "The notes have two lines.",
      final_response: "The notes have two lines.",
      iterations: 4,
      tool_calls: 3,
      tool_calls_made: 3,
      error: null,
    });
    const [started, completed] = [Date.parse(status.started_at ?? ""), Date.parse(status.completed_at ?? "")];
    expect(completed).toBeGreaterThanOrEqual(started);
  });

  it("leaves the file in the project", async () => {
    const path = `/api/projects/${client.projectId}/files/docs/notes.md`;
    const { body } = await service.call<{ content: string }>("GET", path, { token: client.account.token });
    expect(body.content).toBe("one\ntwo\n");
  });

  it("calls back once, with the shape of the status, signed so that the public library verifies it", async () => {
    const { body, headers } = await receiver.first("/three");
    expect(headers["webhook-id"]).toBe(`task_${invoked.task_id}`);
    const { callback: _, ...shape } = status;
    expect(new Webhook(client.webhookSecret).verify(body, headers)).toEqual(shape);

    await vi.waitFor(async () => {
      const { callback } = await client.status(invoked.task_id);
      expect(callback).toMatchObject({
        url: `${receiver.url}/three`,
        status: "delivered",
        attempts: [{ attempt: 1, delivered: true, status_code: 200, error: null }],
      });
    });
    expect(receiver.received("/three")).toHaveLength(1);
  });

  it("is not verified once the body, the time or the key is another", async () => {
    const { body, headers } = await receiver.first("/three");
    const own = new Webhook(client.webhookSecret);
    const other = new Webhook((await service.newKey(client.account.token)).webhookSecret);
    expect(() => own.verify(body.replace("completed", "cancelled"), headers)).toThrow(
      "No matching signature",
    );
    const later = { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) };
    expect(() => own.verify(body, later)).toThrow("No matching signature");
    expect(() => other.verify(body, headers)).toThrow("No matching signature");
  });
});

describe("a callback", () => {
  it("reaches the catcher of the local stack, under the other name of the field as well", async () => {
    const url = `${service.stack.callbacksUrl ?? ""}/caught`;
    const { task_id: taskId } = await client.start("Hello", { webhook_callback_url: url });
    const caught = await vi.waitUntil(async () => {
      const list: ReceivedCallback[] = JSON.parse(await (await fetch(url)).text());
      return list[0];
    });
    const { body, headers } = caught;
    expect(new Webhook(client.webhookSecret).verify(body, headers)).toMatchObject({
      task_id: taskId,
      status: "completed",
    });
  });

  it("is not made where the request asked for none", async () => {
    const { task_id: taskId } = await client.start("Hello");
    await client.end(taskId);
    expect((await client.status(taskId)).callback).toEqual({ url: null, status: "none", attempts: [] });
  });
});

describe("a tool that fails", () => {
  it("is told to the model, which goes on", async () => {
    const message = script(
      {
        tools: [
          call("bash_exec", { command: "echo before; exit 3" }),
          call("read_file", { path: "none.txt" }),
        ],
      },
      { text: "It did not work." },
    );
    const { task_id: taskId } = await client.start(message);
    const events = await client.end(taskId);
    expect(events.filter(({ type }) => type === "tool_error").map(({ body }) => body)).toMatchObject([
      { tool: "bash_exec", error: expect.stringContaining("3"), data: { tool_name: "bash_exec" } },
      { tool: "read_file", error: expect.stringContaining("none.txt") },
    ]);
    expect(events.find(({ type }) => type === "tool_result")?.body.result).toMatchObject({
      success: false,
      exit_code: 3,
      stdout: "before\n",
    });
    expect(await client.status(taskId)).toMatchObject({ status: "completed", tool_calls: 2, iterations: 2 });
  });
});

describe("an invocation", () => {
  it.each([
    ["a project that is not there", 404, { project_id: crypto.randomUUID() }],
    ["an agent that is not there", 404, { agent_id: crypto.randomUUID() }],
    ["a chat that is not there", 404, { chat_id: crypto.randomUUID() }],
    ["a project id that is none", 422, { project_id: "app" }],
    ["a blank message", 422, { message: "  \n" }],
    ["an address that is none", 422, { webhook_url: "example.com/hook" }],
    ["an address of another kind", 422, { webhook_url: "ftp://example.com/hook" }],
    ["an address with a password", 400, { webhook_url: "https://user:secret@example.com/hook" }],
  ])("with %s is refused with %i", async (_, status, fields) => {
    const answer = await client.invoke("Hello", fields);
    expect(answer).toMatchObject({ status, body: { detail: expect.any(String) } });
  });

  it("with a stranger's project is refused as if it were not there", async () => {
    const stranger = await newTaskClient(service);
    expect((await client.invoke("Hello", { project_id: stranger.projectId })).status).toBe(404);
  });

  it("with a key of another project is refused", async () => {
    const bound = await newTaskClient(service, { account: client.account, boundKey: true });
    expect((await bound.invoke("Hello", { project_id: client.projectId })).status).toBe(403);
    expect((await bound.invoke("Hello")).status).toBe(200);
  });

  it("without a key, or with a person's token, is refused", async () => {
    const json = { project_id: client.projectId, message: "Hello" };
    const invoke = (token?: string) => service.call("POST", "/api/external/agent/invoke", { json, token });
    expect((await invoke()).status).toBe(401);
    expect((await invoke("tsk_invalid")).status).toBe(401);
    expect((await invoke(client.account.token)).status).toBe(401);
  });
});
