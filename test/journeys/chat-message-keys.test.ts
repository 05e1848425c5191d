import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { openStream } from "#test/support/chat-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { openSocket, type TestSocket } from "#test/support/socket.ts";
import { call, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

const service = sharedService();
let owner: Account;
let projectId: string;
let client: TaskClient;
beforeAll(async () => {
  owner = await service.signUp();
  projectId = (await service.newProject(owner.token)).id;
  client = await newTaskClient(service, { account: owner, projectId });
});

const connect = (token = owner.token) => openSocket(service.url, `/ws/chat/${projectId}?token=${token}`);
const eventIds = ({ frames }: TestSocket, taskId: unknown) =>
  frames.flatMap(({ task_id, event_id }) => (task_id === taskId && event_id !== undefined ? [event_id] : []));

describe("a message of a socket, sent again under its key", () => {
  it("is accepted as the first one, and its events come once", async () => {
    const [socket, other] = [await connect(), await connect()];
    const message = { message: script({ text: "Once" }), idempotency_key: "again" };
    socket.send(message);
    const accepted = await socket.next("message_accepted");
    expect(accepted).toMatchObject({ idempotency_key: "again" });
    socket.send(message);
    expect(await socket.next("message_accepted")).toEqual(accepted);
    // The task may have ended before it was accepted again.
    const log = (await client.end(String(accepted["task_id"]))).map(({ id }) => id);
    await vi.waitFor(() => expect(eventIds(socket, accepted["task_id"])).toEqual(log));
    socket.send(message);
    expect(await socket.next("message_accepted")).toEqual(accepted);
    expect(eventIds(socket, accepted["task_id"])).toEqual(log);
    // Another socket of the sender, which has seen the task as well.
    await vi.waitFor(() => expect(eventIds(other, accepted["task_id"])).toEqual(log));
    other.send(message);
    expect(await other.next("message_accepted")).toEqual(accepted);
    // A new one is shown the task.
    const late = await connect();
    late.send(message);
    expect(await late.next("message_accepted")).toEqual(accepted);
    await vi.waitFor(() => expect(eventIds(late, accepted["task_id"])).toEqual(log));
    for (const each of [socket, other, late]) each.close();
  });

  it("has its events once, also where it is sent again as its task ends", async () => {
    const socket = await connect();
    const again = 6;
    for (let round = 0; round < 3; round += 1) {
      const message = { message: script({ text: "Once" }), idempotency_key: `round-${round}` };
      for (let sent = 0; sent < again; sent += 1) socket.send(message);
      let taskId: unknown;
      for (let sent = 0; sent < again; sent += 1) {
        ({ task_id: taskId } = await socket.next("message_accepted"));
      }
      const log = (await client.end(String(taskId))).map(({ id }) => id);
      await vi.waitFor(() => expect(eventIds(socket, taskId).at(-1)).toBe(log.at(-1)));
      // What is sent after this was accepted comes later than all events.
      socket.send(message);
      await socket.next("message_accepted");
      expect(eventIds(socket, taskId)).toEqual(log);
    }
    socket.close();
  });

  it("is accepted with its attachment, which is stored once", async () => {
    const socket = await connect();
    const attachments = [{ type: "pasted_text", content: "pasted", label: "notes.txt" }];
    const message = { message: script({ text: "Read" }), attachments, idempotency_key: "attached" };
    socket.send(message);
    socket.send(message);
    const [first, second] = [await socket.next("message_accepted"), await socket.next("message_accepted")];
    expect(second).toEqual(first);
    socket.send({ ...message, attachments: [{ ...attachments[0], content: "other" }] });
    expect(await socket.next("error")).toMatchObject({
      idempotency_key: "attached",
      data: { code: "invalid_body" },
    });
    socket.close();
  });

  it("runs in the usual mode: its client can answer approvals", async () => {
    const socket = await connect();
    const dangerous = script({ tools: [call("bash_exec", { command: "echo done" })] }, { text: "Done" });
    socket.send({ message: dangerous, idempotency_key: "dangerous" });
    const { task_id } = await socket.next("message_accepted");
    await socket.next("approval_required");
    socket.send({ type: "cancel", task_id, request_id: "stop" });
    expect(await socket.next("request_done")).toEqual({ type: "request_done", request_id: "stop" });
    await socket.next("done");
    socket.close();
  });

  it("is named by the errors that refuse it, as other frames are", async () => {
    const socket = await connect();
    const refused = async (frame: object) => {
      socket.send(frame);
      return socket.next("error");
    };
    const idempotency_key = "refused";
    expect(await refused({ message: " ", idempotency_key })).toMatchObject({ idempotency_key });
    const chat_id = crypto.randomUUID();
    expect(await refused({ message: "Hi", chat_id, idempotency_key })).toMatchObject({ idempotency_key });
    expect(await refused({ message: "Hi", idempotency_key: "no spaces" })).toMatchObject({
      message: expect.stringContaining("idempotency_key"),
    });
    const request_id = "r";
    const task_id = crypto.randomUUID();
    expect(await refused({ type: "cancel", task_id, request_id })).toMatchObject({ request_id });
    const answer = { type: "approval_response", approval_id: "x", response: "stop", request_id };
    expect(await refused(answer)).toMatchObject({ request_id });
    socket.close();
  });
});

it("shows a socket the tasks that began after those it has", async () => {
  const first = await client.start(script({ text: "First" }));
  await client.end(first.task_id);
  const missed = await client.start(script({ text: "Missed" }));
  await client.end(missed.task_id);
  const query = new URLSearchParams({ token: owner.token, shown: first.task_id });
  const socket = await openSocket(service.url, `/ws/chat/${projectId}?${query}`);
  await vi.waitFor(() => expect(socket.frames.map(({ task_id }) => task_id)).toContain(missed.task_id));
  expect(socket.frames.map(({ task_id }) => task_id)).not.toContain(first.task_id);
  socket.close();
  const bad = await openSocket(service.url, `/ws/chat/${projectId}?token=${owner.token}&shown=nonsense`);
  expect(await bad.next("error")).toMatchObject({ message: expect.stringContaining("shown") });
});

describe("a message over HTTP with an Idempotency-Key", () => {
  const paths = ["/api/chat/agent/stream", "/api/chat/stream"];
  it.each(paths)("is one task for %s", async (path) => {
    const json = { project_id: projectId, message: script({ text: "Once" }) };
    const headers = { "idempotency-key": `over${path}` };
    const open = (token: string) => openStream(service, "POST", path, { token, json, headers });
    for (const token of [owner.token, client.key]) {
      const [first, second] = [await open(token), await open(token)];
      expect(second.taskId).toBe(first.taskId);
      expect(await second.text()).toContain("Once");
      await first.text();
      const changed = { token, headers, json: { ...json, message: "Other" } };
      expect((await service.call("POST", path, changed)).status).toBe(422);
    }
  });
});
