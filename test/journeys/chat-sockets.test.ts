import { describe, expect, it, vi } from "vitest";
import { otherSharedService } from "#test/support/shared-service.ts";
import { openSocket, type Frame } from "#test/support/socket.ts";
import { newTaskClient, script } from "#test/support/task-client.ts";
import { newTeamClient } from "#test/support/team-client.ts";
import { accepted, ended, shown } from "./support/chat-frames.ts";

/** Its id has no version, as ids of agents that come with the service do not. */
const DEFAULT_AGENT = "00000000-0000-0000-0000-000000000005";

const service = await otherSharedService("eager");
const team = await newTeamClient(service);
const owner = team.owner;
const project = await service.newProject(owner.token, "chats");
const client = await newTaskClient(service, { account: owner, projectId: project.id });

const connect = (token = owner.token, query: Record<string, string> = {}, of = project.id) =>
  openSocket(service.url, `/ws/chat/${of}?${new URLSearchParams({ token, ...query })}`);

const says = (text: string) => script({ text });
/** Says `count` numbered words, one every `delay` milliseconds. */
const slowly = (count: number, delay: number) =>
  script({
    text: Array.from({ length: count }, (_, index) => `w${String(index).padStart(4, "0")} `).join(""),
    chunks: count,
    delay_ms: delay,
  });

/** All events of a task, read over HTTP. */
async function logged(taskId: string) {
  const events = await client.end(taskId);
  return events.map(({ id, type, body }) => ({
    id,
    type: type === "tool_result" ? "tool_call" : type,
    content: body.content,
  }));
}

describe("a message on a chat socket", () => {
  it("is answered with the task's events, bare, each once and in order", async () => {
    const socket = await connect();
    socket.send({ message: says("Hello to you"), agent_id: DEFAULT_AGENT });
    const task = await accepted(socket);
    await ended(socket, task);
    expect(shown(socket, task)).toEqual(await logged(task));
    expect(socket.frames.some(({ type }) => type === "agent_event")).toBe(false);
    expect(await socket.next("complete")).toMatchObject({
      task_id: task,
      chat_id: expect.any(String),
      data: { success: true, final_response: "Hello to you" },
    });
    socket.close();
  });

  it("is seen in all tabs of its sender, with what was said", async () => {
    const sender = await connect();
    const others = [await connect(), await connect(client.key)];
    const message = says("Every tab shows it");
    sender.send({ message });
    const task = await accepted(sender);
    await Promise.all([sender, ...others].map((socket) => ended(socket, task)));
    const log = await logged(task);
    for (const socket of [sender, ...others]) expect(shown(socket, task)).toEqual(log);
    for (const { frames } of others) {
      const events = frames.filter(({ task_id }) => task_id === task);
      expect(events.every(({ type }) => type === "agent_event")).toBe(true);
      expect(events[0]).toMatchObject({
        payload: { type: "user_message", content: message, data: { user_id: owner.id } },
      });
    }
    for (const socket of [sender, ...others]) socket.close();
  });

  it("is refused in words, and the socket stays", async () => {
    const socket = await connect();
    const refusals: [object, string][] = [
      [{ message: " " }, "message"],
      [{ message: "hi", agent_id: crypto.randomUUID() }, "Agent not found"],
      [{ message: "hi", chat_id: crypto.randomUUID() }, "Chat not found"],
      [{ message: "hi", project_id: crypto.randomUUID() }, "Project not found"],
      [{ type: "nonsense" }, "it accepts"],
      [{ type: "approval_response", approval_id: "x", response: "stop" }, "Approval not found"],
      [{ type: "cancel", task_id: crypto.randomUUID() }, "Task not found"],
    ];
    for (const [frame, words] of refusals) {
      socket.send(frame);
      const error = await socket.next("error");
      expect(error).toMatchObject({ message: expect.stringContaining(words), content: error["message"] });
    }
    socket.send({ type: "ping", project_id: project.id });
    await socket.next("pong");
    socket.close();
  });
});

describe("a connection that is lost", () => {
  it.each(["address", "frame"])("goes on by its %s without loss or repetition", async (way) => {
    const parts: Frame[] = [];
    let socket = await connect();
    socket.send({ message: slowly(1_000, 50) });
    const task = await accepted(socket);
    const before = socket;
    await vi.waitFor(() => expect(shown(before, task).length).toBeGreaterThan(10));
    await before.drop();
    parts.push(...before.frames);
    const last = shown(before, task).at(-1)?.id;
    if (way === "address")
      socket = await connect(owner.token, { task_id: task, last_event_id: String(last) });
    else {
      socket = await openSocket(service.url, `/api/chat/ws/${owner.token}`);
      socket.send({ type: "resume", task_id: task, last_event_id: last, project_id: project.slug });
    }
    await client.cancel(task);
    await ended(socket, task);
    parts.push(...socket.frames);
    expect(shown({ ...socket, frames: parts }, task)).toEqual(await logged(task));
    // A second request for the events is served again.
    socket.send({ type: "resume", task_id: task, last_event_id: 0 });
    await vi.waitFor(() => expect(socket.frames.filter(({ type }) => type === "done")).toHaveLength(2));
    socket.close();
  });
});

it("a task that runs is cancelled over the socket, long before it would end", async () => {
  const socket = await connect();
  socket.send({ message: slowly(1_000, 200) });
  const task = await accepted(socket);
  await socket.next("text_delta");
  socket.send({ type: "cancel", task_id: task });
  await ended(socket, task);
  expect(await socket.next("complete")).toMatchObject({ data: { completion_reason: "cancelled" } });
  socket.close();
});

const open = (token: string) => openSocket(service.url, `/api/chat/ws/${token}`);

describe("the socket of existing clients", () => {
  it("takes its project from the first frame, which is a message already", async () => {
    const socket = await open(owner.token);
    socket.send({
      message: says("From the path"),
      project_id: project.id,
      container_id: null,
      view_context: "graph",
    });
    const task = await accepted(socket);
    await ended(socket, task);
    expect(shown(socket, task)).toEqual(await logged(task));
    socket.send({ message: says("no"), project_id: (await service.newProject(owner.token)).id });
    expect(await socket.next("error")).toMatchObject({ message: expect.stringContaining("another project") });
    socket.close();
    await socket.closed;
  });

  it("is closed for an unknown token, without a project, and for a project of another person", async () => {
    const garbage = await open("garbage");
    expect(await garbage.closed).toEqual({ code: 4401, reason: "auth_failed" });
    const silent = await open(owner.token);
    silent.send({ type: "ping" });
    expect(await silent.closed).toMatchObject({ code: 1008 });
    expect(silent.frames[0]).toMatchObject({ type: "error", content: expect.stringContaining("project_id") });
    const foreign = await open((await service.signUp()).token);
    foreign.send({ type: "ping", project_id: project.id });
    expect(await foreign.closed).toEqual({ code: 4404, reason: "not_found" });
  });
});

describe("access", () => {
  it("is refused to strangers and without a token", async () => {
    const stranger = await connect((await service.signUp()).token);
    expect(await stranger.closed).toEqual({ code: 4404, reason: "not_found" });
    const nobody = await openSocket(service.url, `/ws/chat/${project.id}`);
    expect(await nobody.closed).toEqual({ code: 4401, reason: "auth_failed" });
  });

  it("ends by itself for a person whose session is over, and for a removed member", async () => {
    const person = await team.join("viewer");
    const socket = await connect(person.token);
    socket.send({ type: "ping" });
    await socket.next("pong");
    await service.call("POST", "/api/auth/logout", { token: person.token });
    expect(await socket.closed).toMatchObject({ code: 4401 });
    const former = await team.join("viewer");
    const other = await connect(former.token);
    other.send({ type: "ping" });
    await other.next("pong");
    expect((await team.asOwner("DELETE", `/members/${former.id}`)).status).toBeLessThan(300);
    expect(await other.closed).toMatchObject({ code: 4404 });
  });

  it("is open to keys, but they cannot answer approvals", async () => {
    const socket = await connect(client.key);
    socket.send({ type: "approval_response", approval_id: crypto.randomUUID(), response: "stop" });
    expect(await socket.next("error")).toMatchObject({ data: { code: "forbidden" } });
    socket.close();
  });
});
