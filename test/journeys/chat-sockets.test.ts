import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { openSocket, type Frame, type TestSocket } from "#test/support/socket.ts";
import { call, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";
import { newTeamClient, type TeamClient } from "#test/support/team-client.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { accepted, ended, shown } from "./support/chat-frames.ts";

/** Its id has no version, as ids of agents that come with the service do not. */
const DEFAULT_AGENT = "00000000-0000-0000-0000-000000000005";

let service: SharedService;
let team: TeamClient;
let owner: Account;
let project: { id: string; slug: string };
let client: TaskClient;
beforeAll(async () => {
  service = await otherSharedService("eager");
  team = await newTeamClient(service);
  owner = team.owner;
  project = await service.newProject(owner.token, "chats");
  client = await newTaskClient(service, { account: owner, projectId: project.id });
});

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

  it("goes to the chat that is named, and messages keep their order", async () => {
    const socket = await connect();
    for (const text of ["one", "two", "three"]) socket.send({ message: says(text) });
    const tasks = [await accepted(socket), await accepted(socket), await accepted(socket)];
    for (const task of tasks) await ended(socket, task);
    const said = socket.frames
      .filter(({ type }) => type === "complete")
      .map((frame) => fieldsOf(frame["data"]));
    expect(said.map(({ final_response }) => final_response)).toEqual(["one", "two", "three"]);
    const chat = socket.frames.find(({ type }) => type === "message_accepted")?.["chat_id"];
    socket.send({ message: says("four"), chat_id: chat });
    expect(await socket.next("message_accepted")).toMatchObject({ chat_id: chat });
    socket.close();
  });

  it("is refused in words, and the socket stays", async () => {
    const socket = await connect();
    const refusals: [object, string][] = [
      [{ message: " " }, "message"],
      [{ message: "a\0b" }, "message"],
      [{ message: "x".repeat(10_001) }, "message"],
      [{ message: "hi", agent_id: "nobody" }, "agent_id"],
      [{ message: "hi", agent_id: crypto.randomUUID() }, "Agent not found"],
      [{ message: "hi", chat_id: crypto.randomUUID() }, "Chat not found"],
      [{ message: "hi", edit_mode: "wild" }, "edit_mode"],
      [{ message: "hi", project_id: crypto.randomUUID() }, "Project not found"],
      [{ message: "hi", attachments: [{}] }, "attachments"],
      [{ type: "nonsense" }, "it accepts"],
      [{ type: "approval_response", approval_id: "x", response: "maybe" }, "response"],
      [{ type: "approval_response", approval_id: "x", response: "stop" }, "Approval not found"],
      [{ type: "cancel", task_id: crypto.randomUUID() }, "Task not found"],
      [{ type: "resume", task_id: crypto.randomUUID() }, "Task not found"],
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

  it("is refused to viewers", async () => {
    const socket = await connect((await team.join("viewer")).token);
    socket.send({ message: says("no") });
    expect(await socket.next("error")).toMatchObject({ data: { code: "forbidden" } });
    socket.close();
  });
});

describe("a task that was begun elsewhere", () => {
  it("is shown while it runs, also to those who come later", async () => {
    const early = await connect();
    const { task_id: task } = await client.start(slowly(1_000, 50));
    await vi.waitFor(() => expect(shown(early, task).length).toBeGreaterThan(5));
    const late = await connect();
    await vi.waitFor(() => expect(shown(late, task).length).toBeGreaterThan(5));
    await client.cancel(task);
    await Promise.all([ended(early, task), ended(late, task)]);
    const log = await logged(task);
    expect(shown(early, task)).toEqual(log);
    expect(shown(late, task)).toEqual(log);
    early.close();
    late.close();
  });
});

describe("a connection that is lost", () => {
  it.each(["address", "frame"])("goes on by its %s without loss or repetition", async (way) => {
    const parts: Frame[] = [];
    let socket = await connect();
    socket.send({ message: slowly(1_000, 50) });
    const task = await accepted(socket);
    for (let drops = 0; drops < 2; drops += 1) {
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

describe("a client that claims more events than there are", () => {
  const BEYOND = 99_999;

  it("is told so, as over HTTP, and shown all of it", async () => {
    const { task_id } = await client.start(slowly(600, 100));
    await client.event(task_id, "text_delta");
    const socket = await connect(owner.token, { task_id, last_event_id: String(BEYOND) });
    expect(await socket.next("error")).toMatchObject({
      task_id,
      message: expect.stringContaining(String(BEYOND)),
    });
    await client.cancel(task_id);
    await ended(socket, task_id);
    expect(shown(socket, task_id)).toEqual(await logged(task_id));
    socket.close();
  });

  it("is sent the end of a task that is over", async () => {
    const { task_id } = await client.start("Hello");
    const log = await logged(task_id);
    const socket = await connect();
    socket.send({ type: "resume", task_id, last_event_id: BEYOND });
    await ended(socket, task_id);
    expect(shown(socket, task_id)).toEqual(log.slice(-1));
    socket.close();
  });
});

describe("a question", () => {
  const dangerous = script(
    { tools: [call("bash_exec", { command: "echo done" })] },
    { text: "It was answered" },
  );

  async function ask(socket: TestSocket) {
    socket.send({ message: dangerous, edit_mode: "ask" });
    const task = await accepted(socket);
    const { data } = await socket.next("approval_required");
    return { task, approval_id: String(fieldsOf(data)["approval_id"]) };
  }

  it("is answered in another tab, on which it is shown as well", async () => {
    const [tab, other] = [await connect(), await connect()];
    const { task, approval_id } = await ask(tab);
    await vi.waitFor(() => expect(shown(other, task).map(({ type }) => type)).toContain("approval_required"));
    other.send({ type: "approval_response", approval_id, response: "allow_once", project_id: project.id });
    await Promise.all([ended(tab, task), ended(other, task)]);
    const log = await logged(task);
    expect(shown(tab, task)).toEqual(log);
    expect(shown(other, task)).toEqual(log);
    expect(await tab.next("complete")).toMatchObject({ data: { final_response: "It was answered" } });
    tab.close();
    other.close();
  });

  it("is not answered by strangers or viewers; an editor may answer it", async () => {
    const tab = await connect();
    const { task, approval_id } = await ask(tab);
    const stranger = await service.signUp("stranger");
    const own = await service.newProject(stranger.token);
    const foreign = await connect(stranger.token, {}, own.id);
    foreign.send({ type: "approval_response", approval_id, response: "allow_once" });
    expect(await foreign.next("error")).toMatchObject({ message: "Approval not found" });
    const viewer = await connect((await team.join("viewer")).token);
    viewer.send({ type: "approval_response", approval_id, response: "allow_once" });
    expect(await viewer.next("error")).toMatchObject({ data: { code: "forbidden" } });
    const colleague = await connect((await team.join("editor")).token);
    colleague.send({ type: "approval_response", approval_id, response: "stop" });
    await ended(tab, task);
    for (const socket of [tab, foreign, viewer, colleague]) socket.close();
  });

  it("ends with its task when that is cancelled", async () => {
    const tab = await connect();
    const { task } = await ask(tab);
    tab.send({ type: "cancel", task_id: task });
    await ended(tab, task);
    expect(await tab.next("complete")).toMatchObject({ data: { completion_reason: "cancelled" } });
    tab.send({ type: "cancel", task_id: task });
    expect(await tab.next("error")).toMatchObject({ message: "The task is cancelled already" });
    tab.close();
  });
});

describe("a task that runs", () => {
  it("is cancelled over the socket, long before it would end", async () => {
    const socket = await connect();
    socket.send({ message: slowly(1_000, 200) });
    const task = await accepted(socket);
    await socket.next("text_delta");
    socket.send({ type: "cancel", task_id: task });
    await ended(socket, task);
    expect(await socket.next("complete")).toMatchObject({ data: { completion_reason: "cancelled" } });
    socket.close();
  });
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
    socket.send({ type: "ping", project_id: project.id });
    await socket.next("pong");
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

  it("says in the address what it has, and is refused with an error that names the fault", async () => {
    const { task_id } = await client.start("Hello");
    const log = await logged(task_id);
    const socket = await open(`${owner.token}?${new URLSearchParams({ task_id, last_event_id: "2" })}`);
    socket.send({ type: "ping", project_id: project.id });
    await ended(socket, task_id);
    expect(shown(socket, task_id)).toEqual(log.slice(2));
    socket.close();
    const refused = await open(`${owner.token}?task_id=none`);
    refused.send({ type: "ping", project_id: project.id });
    expect(await refused.next("error")).toMatchObject({ message: expect.stringContaining("task_id") });
    expect(await refused.closed).toMatchObject({ code: 1008 });
  });

  it("leaves no token in the log", async () => {
    const { token } = await team.join("viewer");
    const socket = await open(token);
    socket.send({ type: "ping", project_id: project.id });
    await socket.next("pong");
    socket.close();
    await socket.closed;
    const log = readFileSync(service.stack.logFile, "utf8");
    expect(log).toContain("/api/chat/ws/…");
    expect(log).not.toContain(token);
  });
});

describe("access", () => {
  it("is refused to strangers and without a token, and ends with the session", async () => {
    const stranger = await connect((await service.signUp()).token);
    expect(await stranger.closed).toEqual({ code: 4404, reason: "not_found" });
    expect(stranger.frames[0]).toMatchObject({ type: "error", data: { code: "not_found" } });
    const nobody = await openSocket(service.url, `/ws/chat/${project.id}`);
    expect(await nobody.closed).toEqual({ code: 4401, reason: "auth_failed" });
    const { token } = await team.join("editor");
    const socket = await connect(token);
    socket.send({ type: "ping" });
    await socket.next("pong");
    await service.call("POST", "/api/auth/logout", { token });
    socket.send({ message: says("Too late") });
    expect(await socket.closed).toMatchObject({ code: 4401 });
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
    socket.send({ message: says("For a program") });
    const task = await accepted(socket);
    await ended(socket, task);
    expect(shown(socket, task)).toEqual(await logged(task));
    socket.send({ type: "approval_response", approval_id: crypto.randomUUID(), response: "stop" });
    expect(await socket.next("error")).toMatchObject({ data: { code: "forbidden" } });
    socket.close();
  });
});
