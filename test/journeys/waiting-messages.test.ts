import { describe, expect, it } from "vitest";
import { frameOf, newChatClient, openStream } from "#test/support/chat-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { openSocket } from "#test/support/socket.ts";
import { call, newTaskClient, script, UNTIL_GO } from "#test/support/task-client.ts";

const service = sharedService();
const client = await newChatClient(service);
const program = await newTaskClient(service, { account: client.account, projectId: client.projectId });

const write = (path: string) => call("write_file", { path, content: path });
const writes = (...paths: string[]) => script({ tools: paths.map(write) }, { text: "I stop here." });
const run = (command: string) => ({ tools: [call("bash_exec", { command })] });
const statusOf = async (path: string) =>
  (await client.call("GET", `/api/projects/${client.projectId}/files/${path}`)).status;
const newChat = async () =>
  (await client.call<{ id: string }>("POST", "/api/chat", { project_id: client.projectId })).body.id;
const plainly = (message: string, fields: object = {}, token = client.account.token) =>
  openStream(service, "POST", "/api/chat/stream", {
    token,
    json: { project_id: client.projectId, message, ...fields },
  });

/** A message that waits for the approval of `path`, in a chat of its own. */
async function asking(...paths: string[]) {
  const stream = await client.send(writes(...paths), { chat_id: await newChat() });
  const question = await frameOf(stream, "approval_required");
  return { ...stream, approvalId: String(question.data?.["approval_id"]) };
}

it("a frame of the interface, which has a message and an agent and no way to answer, runs without a question", async () => {
  const socket = await openSocket(service.url, `/ws/chat/${client.projectId}?token=${client.account.token}`);
  socket.send({ message: writes("plain.txt"), agent_id: null });
  const done = await socket.next("done");
  expect(done).toMatchObject({ status: "completed" });
  expect(socket.frames.map(({ type }) => type)).not.toContain("approval_required");
  expect(await statusOf("plain.txt")).toBe(200);
  socket.close();
});

describe("a message of a person to a chat that asks", () => {
  it("is a no to the question, and is answered next", async () => {
    const { chatId, taskId, approvalId } = await asking("one.txt");
    const stream = await plainly(script({ text: "Second." }), { chat_id: chatId });
    const frames = await Array.fromAsync(stream.frames());
    expect(frames).toMatchObject([
      {
        type: "message",
        content: expect.stringMatching(/waits for an earlier message.*Sending it denied write_file/su),
      },
      { type: "message", content: "Second." },
    ]);
    const first = await client.replay(taskId);
    const result = first.find(({ type }) => type === "tool_call")?.data?.["result"];
    expect(result).toMatchObject({ success: false, error: expect.stringContaining("Second.") });
    expect(first.find(({ type }) => type === "approval_answered")?.data).toMatchObject({
      verdict: "refused",
      reason: expect.stringContaining("Second."),
    });
    const asked = await client.call("GET", `/api/chat/agent/approvals/${approvalId}`);
    expect(asked.body).toMatchObject({ response: "stop", reason: expect.stringContaining("Second.") });
    expect(await statusOf("one.txt")).toBe(404);
  });

  it("is a no to all that the same work would ask next", async () => {
    const { chatId, taskId } = await asking("first.txt", "second.txt");
    const frames = await client.ask(script({ text: "Next." }), { chat_id: chatId });
    expect(frames.find(({ type }) => type === "waiting")?.data).toMatchObject({
      waiting_for: { task_id: taskId, tool: "write_file", refused: true },
    });
    expect(frames.at(-1)).toMatchObject({ type: "done", data: { status: "completed" } });
    const first = await client.replay(taskId);
    expect(first.filter(({ type }) => type === "approval_required")).toHaveLength(1);
    expect([await statusOf("first.txt"), await statusOf("second.txt")]).toEqual([404, 404]);
  });
});

it("a message of a program to a chat that asks waits, and every way says for what", async () => {
  const { chatId, taskId, approvalId } = await asking("program.txt");
  const waiting_for = { task_id: taskId, approval_id: approvalId, tool: "write_file", refused: false };
  const invoked = await program.start(script({ text: "Late." }), { chat_id: chatId });
  expect(invoked).toMatchObject({ status: "queued", waiting_for });
  expect(await program.status(invoked.task_id)).toMatchObject({ status: "queued", waiting_for });
  const listed = await client.call("GET", `/api/chat/agent/tasks?chat_id=${chatId}`);
  expect(listed.body).toMatchObject({
    items: [
      { task_id: invoked.task_id, status: "queued", waiting_for },
      { task_id: taskId, status: "running", waiting_for },
    ],
  });
  const [, notice = ""] = /^: waiting (.*)$/mu.exec(await firstFrame(invoked.task_id)) ?? [];
  expect(JSON.parse(notice)).toMatchObject({ data: { waiting_for } });
  const whole = await service.call("POST", "/api/chat/agent", {
    token: program.key,
    json: { project_id: client.projectId, message: "Hello", chat_id: chatId },
  });
  expect(whole.body).toMatchObject({ completion_reason: "in_progress", waiting_for });
  const stream = await plainly("Hello", { chat_id: chatId }, program.key);
  expect(await frameOf(stream, "message")).toMatchObject({
    content: expect.stringMatching(/waits.*write_file.*approval/su),
  });
  await client.call("POST", "/api/chat/agent/approval", { approval_id: approvalId, response: "stop" });
  expect((await program.end(invoked.task_id)).at(-1)).toMatchObject({ type: "done" });
  const ended = await program.status(invoked.task_id);
  expect(ended).toMatchObject({ status: "completed" });
  expect(ended).not.toHaveProperty("waiting_for");
});

it("a message behind another one that works is told so at once, and of a question that is put meanwhile", async () => {
  const answer = (approval_id: unknown, response: string) =>
    client.call("POST", "/api/chat/agent/approval", { approval_id, response });
  const go = `/api/projects/${client.projectId}/files/go.txt`;
  const chat_id = await newChat();
  // From then on commands run without a question.
  const before = await client.send(script(run("true"), { text: "Ran." }), { chat_id });
  const question = await frameOf(before, "approval_required");
  await answer(question.data?.["approval_id"], "allow_all");
  await client.replay(before.taskId);
  await client.send(script(run(UNTIL_GO), { tools: [write("later.txt")] }, { text: "Done." }), { chat_id });
  const second = await plainly(script({ text: "Second." }), { chat_id });
  const frames = [];
  for await (const frame of second.frames()) {
    frames.push(frame);
    const { content = "" } = frame;
    const id = /approval (?<id>[0-9a-f-]{36})/u.exec(content)?.groups?.["id"];
    if (id) await answer(id, "allow_once");
    else if (frames.length === 1) await client.call("PUT", go, { content: "" });
  }
  expect(frames).toMatchObject([
    { type: "message", content: expect.stringContaining("the agent is still working on an earlier message") },
    { type: "message" },
    { type: "message", content: "Second." },
  ]);
  expect(await statusOf("later.txt")).toBe(200);
});

/** What the events of a task begin with: all their stream sends up to the first empty line. */
async function firstFrame(taskId: string): Promise<string> {
  const response = await fetch(`${service.url}/api/external/agent/events/${taskId}`, {
    headers: { authorization: `Bearer ${program.key}` },
  });
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes("\n\n")) break;
  }
  return text;
}
