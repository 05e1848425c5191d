import { describe, expect, it, vi } from "vitest";
import { openStream } from "#test/support/chat-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { openSocket, type TestSocket } from "#test/support/socket.ts";
import { newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
const owner = await service.signUp();
const projectId = (await service.newProject(owner.token)).id;
const client = await newTaskClient(service, { account: owner, projectId });

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

it("a message over HTTP with an Idempotency-Key is one task", async () => {
  const path = "/api/chat/agent/stream";
  const json = { project_id: projectId, message: script({ text: "Once" }) };
  const headers = { "idempotency-key": `over${path}` };
  const open = () => openStream(service, "POST", path, { token: client.key, json, headers });
  const [first, second] = [await open(), await open()];
  expect(second.taskId).toBe(first.taskId);
  expect(await second.text()).toContain("Once");
  await first.text();
  const changed = { token: client.key, headers, json: { ...json, message: "Other" } };
  expect((await service.call("POST", path, changed)).status).toBe(422);
});
