import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { idsOf, range, type TaskEvent } from "#test/support/events.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script, type TaskClient, type TaskStatus } from "#test/support/task-client.ts";

const service = await otherSharedService("eager");
const receiver = await startReceiver((path, before) => ({
  status: path === "/fails-once" && before === 0 ? 500 : 200,
}));
const client = await newTaskClient(service);
afterAll(async () => {
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
    const path = `/api/external/agent/events/${invoked.task_id}`;
    expect(invoked).toMatchObject({ events_url: path, status: "queued" });
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
});

describe("an invocation", () => {
  it.each([
    ["an agent that is not there", 404, { agent_id: crypto.randomUUID() }],
    ["a blank message", 422, { message: "  \n" }],
    ["an address of another kind", 422, { webhook_url: "ftp://example.com/hook" }],
    ["an address with a password", 400, { webhook_url: "https://user:secret@example.com/hook" }],
  ])("with %s is refused with %i", async (_, status, fields) => {
    const answer = await client.invoke("Hello", fields);
    expect(answer).toMatchObject({ status, body: { detail: expect.any(String) } });
  });
});

const FOREVER = script({ text: "I am thinking about it", chunks: 3, delay_ms: 60_000 });

async function startWithCallback(path: string, message = "Hello", by = client) {
  return by.start(message, { webhook_url: receiver.url + path });
}

it.concurrent("a receiver that fails is called again, with the same id, and the status tells of both attempts", async () => {
  const { task_id: taskId } = await startWithCallback("/fails-once");
  const requests = await receiver.waitFor("/fails-once", 2);
  const [first, second] = requests.map(({ headers }) => headers);
  expect(first?.["webhook-id"]).toBe(`task_${taskId}`);
  expect(second?.["webhook-id"]).toBe(first?.["webhook-id"]);
  expect(Number(second?.["webhook-timestamp"])).toBeGreaterThan(Number(first?.["webhook-timestamp"]));
  for (const { body, headers } of requests) {
    expect(new Webhook(client.webhookSecret).verify(body, headers)).toMatchObject({ task_id: taskId });
  }
  await vi.waitFor(async () => {
    const { callback } = await client.status(taskId);
    expect(callback).toMatchObject({
      status: "delivered",
      attempts: [
        { attempt: 1, delivered: false, status_code: 500, error: "The receiver returned 500" },
        { attempt: 2, delivered: true, status_code: 200, error: null },
      ],
    });
  });
});

describe.concurrent("every end is called back", () => {
  it("a cancelled task, running or waiting for its chat", async () => {
    const running = await startWithCallback("/cancelled", FOREVER);
    const waiting = await client.start("Hello", {
      webhook_url: `${receiver.url}/cancelled-waiting`,
      chat_id: running.chat_id,
    });
    await client.event(running.task_id, "text_delta");
    await client.cancel(waiting.task_id);
    await client.cancel(running.task_id);
    const [one, other] = [await receiver.first("/cancelled"), await receiver.first("/cancelled-waiting")];
    expect(JSON.parse(one.body)).toMatchObject({ task_id: running.task_id, status: "cancelled" });
    expect(JSON.parse(other.body)).toMatchObject({ task_id: waiting.task_id, status: "cancelled" });
  });

  it("a task whose key was revoked, signed with that key's secret", async () => {
    const mate = await newTaskClient(service, { account: client.account });
    const { task_id: taskId } = await startWithCallback("/revoked", FOREVER, mate);
    await mate.event(taskId, "text_delta");
    await service.call("DELETE", `/api/external/keys/${mate.keyId}`, { token: client.account.token });
    const { body, headers } = await receiver.first("/revoked");
    expect(new Webhook(mate.webhookSecret).verify(body, headers)).toMatchObject({
      status: "failed",
      completion_reason: "key_revoked",
    });
  });
});
