import { beforeAll, describe, expect, it, vi } from "vitest";
import { frameOf, newChatClient, type ChatStream } from "#test/support/chat-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
const client = await newChatClient(service);

const writes = (...names: string[]) =>
  script(...names.map((name) => ({ tools: [call("write_file", { path: name, content: name })] })), {
    text: "Done.",
  });

const answer = (approval_id: unknown, response: string, token = client.account.token) =>
  service.call<{ detail?: string }>("POST", "/api/chat/agent/approval", {
    token,
    json: { approval_id, response },
  });

/** Read a stream and answer what it asks, in this order. */
async function answering(stream: ChatStream, ...responses: string[]) {
  const left = [...responses];
  const frames = [];
  for await (const frame of stream.frames()) {
    frames.push(frame);
    if (frame.type !== "approval_required") continue;
    const given = await answer(frame.data?.["approval_id"], left.shift() ?? "none");
    expect(given).toMatchObject({ status: 200, body: { success: true, message: expect.any(String) } });
  }
  expect(left).toEqual([]);
  return frames;
}

const newChat = async () =>
  (await client.call<{ id: string }>("POST", "/api/chat", { project_id: client.projectId })).body.id;
const contentOf = async (path: string) =>
  (await client.call("GET", `/api/projects/${client.projectId}/files/${path}`)).status;

describe("a dangerous call in a chat of the browser", () => {
  it("waits for an answer, and runs once it is allowed once; the next one is asked about again", async () => {
    const stream = await client.send(writes("once.txt", "twice.txt"), { chat_id: await newChat() });
    const frames = await answering(stream, "allow_once", "allow_once");
    const question = frames.find(({ type }) => type === "approval_required");
    expect(question?.data).toMatchObject({
      tool: "write_file",
      tool_name: "write_file",
      tool_parameters: { path: "once.txt" },
      tool_description: expect.any(String),
      parameters: { path: "once.txt" },
      session_id: stream.chatId,
    });
    expect(frames.slice(-3)).toMatchObject([
      { type: "complete" },
      // The executor that ends the task is not the one that asked for the title.
      { type: "chat_title", data: { chat_id: stream.chatId } },
      { type: "done", data: { status: "completed" } },
    ]);
    expect(await contentOf("twice.txt")).toBe(200);
  });

  it("is not asked about again where the tool is allowed for the chat, until its history is cleared", async () => {
    const chat_id = await newChat();
    const first = await client.send(writes("a1.txt", "a2.txt"), { chat_id });
    await answering(first, "allow_all");
    await answering(await client.send(writes("a3.txt"), { chat_id }));
    const cleared = await client.call("DELETE", `/api/chat/${client.projectId}/messages?chat_id=${chat_id}`);
    expect(cleared.body).toMatchObject({ success: true, deleted_count: 4 });
    await answering(await client.send(writes("a4.txt"), { chat_id }), "allow_once");
  });

  it("is asked about again where the chat was moved to another project", async () => {
    const { id: elsewhere } = await service.newProject(client.account.token);
    const chat_id = await newChat();
    await answering(await client.send(writes("m1.txt"), { chat_id }), "allow_all");
    const move = (project_id: string) => client.call("PATCH", `/api/chat/${chat_id}/project`, { project_id });
    expect((await move(client.projectId)).status).toBe(200);
    await answering(await client.send(writes("m2.txt"), { chat_id }));
    expect((await move(elsewhere)).status).toBe(200);
    await answering(await client.send(writes("m3.txt"), { chat_id, project_id: elsewhere }), "allow_once");
  });

  it("is not run when it is stopped for a reason, which the model is told: unlike after a message, it is asked again", async () => {
    const stream = await client.send(writes("no.txt", "yes.txt"), { chat_id: await newChat() });
    const reasons = [{ response: "stop", reason: "Call it yes.txt" }, { response: "allow_once" }];
    const asked: unknown[] = [];
    const frames = [];
    for await (const frame of stream.frames()) {
      frames.push(frame);
      if (frame.type !== "approval_required") continue;
      const approval_id = frame.data?.["approval_id"];
      const json = { approval_id, ...reasons[asked.length] };
      const given = await client.call("POST", "/api/chat/agent/approval", json);
      expect(given.status).toBe(200);
      asked.push(approval_id);
    }
    expect(asked).toHaveLength(2);
    const refused = frames.find(({ type }) => type === "tool_call");
    const { name } = (await client.call<{ name: string }>("GET", "/api/users/me")).body;
    expect(refused?.data).toMatchObject({
      result: {
        success: false,
        error: expect.stringContaining("Call it yes.txt"),
        denied: { by: name, reason: "Call it yes.txt" },
      },
    });
    expect(frames.find(({ type }) => type === "approval_answered")?.data).toMatchObject({
      verdict: "refused",
      reason: "Call it yes.txt",
    });
    expect([await contentOf("no.txt"), await contentOf("yes.txt")]).toEqual([404, 200]);
    const [first] = asked;
    const { body } = await client.call("GET", `/api/chat/agent/approvals/${String(first)}`);
    expect(body).toMatchObject({ response: "stop", reason: "Call it yes.txt" });
    // The same answer again is no other one.
    const again = { approval_id: first, response: "stop" };
    expect((await client.call("POST", "/api/chat/agent/approval", again)).status).toBe(200);
  });

  it("goes by the chat's mode where the message says nothing, also on the stream of the interface", async () => {
    const chat_id = await newChat();
    await client.call("PATCH", `/api/chat/${chat_id}/update`, { edit_mode: "plan" });
    const { text } = await client.call("POST", "/api/chat/stream", {
      project_id: client.projectId,
      message: writes("by-chat.txt"),
      chat_id,
    });
    expect(text).toContain("plan mode");
    expect(await contentOf("by-chat.txt")).toBe(404);
  });
});

describe("an answer", () => {
  let stream: ChatStream;
  let approvalId: unknown;
  beforeAll(async () => {
    stream = await client.send(writes("whose.txt"), { chat_id: await newChat() });
    for await (const frame of stream.frames()) {
      approvalId = frame.data?.["approval_id"];
      if (approvalId !== undefined) break;
    }
  });

  it("leaves the chat waiting until it is given, and is given once", async () => {
    const { body } = await client.call<{ id: string; status: string }[]>(
      "GET",
      `/api/chat/${client.projectId}/sessions`,
    );
    expect(body.find(({ id }) => id === stream.chatId)?.status).toBe("waiting_approval");
    expect((await answer(approvalId, "allow_once")).status).toBe(200);
    expect((await answer(approvalId, "allow_once")).status).toBe(200);
    expect(await answer(approvalId, "stop")).toMatchObject({ status: 409 });
    const frames = await client.replay(stream.taskId);
    expect(frames.at(-1)).toMatchObject({ type: "done", data: { status: "completed" } });
    expect(frames.filter(({ type }) => type === "tool_call")).toHaveLength(1);
  });
});

it("the response in one piece waits for no answer: neither to its own question nor to that of an earlier message", async () => {
  const json = (message: string, chat_id: string) => ({ project_id: client.projectId, message, chat_id });
  const own = await client.call<{ task_id: string }>(
    "POST",
    "/api/chat/agent",
    json(writes("piece.txt"), await newChat()),
  );
  expect(own.body).toMatchObject({ success: false, completion_reason: "in_progress" });
  await client.call("POST", `/api/chat/agent/cancel/${own.body.task_id}`);

  const { key } = await newTaskClient(service, { account: client.account, projectId: client.projectId });
  const waits = await client.send(writes("earlier.txt"), { chat_id: await newChat() });
  await frameOf(waits, "approval_required");
  const { status, body } = await service.call<{ task_id: string }>("POST", "/api/chat/agent", {
    token: key,
    json: json("Hello", waits.chatId),
  });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { success: false, completion_reason: "in_progress", final_response: "", steps: [] },
  });
  await client.call("POST", `/api/chat/agent/force-cancel?chat_id=${waits.chatId}`);
  expect((await client.replay(body.task_id)).at(-1)).toMatchObject({ data: { status: "cancelled" } });
});

it("calls that run side by side are asked about together, and answered in any order", async () => {
  const fetches = [1, 2, 3].map((n) => call("web_fetch", { url: `http://127.0.0.1:9/${n}` }));
  const stream = await client.send(script({ tools: fetches }, { text: "All." }), {
    chat_id: await newChat(),
  });
  const asked: unknown[] = [];
  const frames = [];
  for await (const frame of stream.frames()) {
    frames.push(frame);
    if (frame.type === "approval_required") asked.push(frame.data?.["approval_id"]);
    if (frame.type !== "approval_required" || asked.length < 3) continue;
    // The last is answered first, and the task has to wait again for each of the others.
    for (const id of asked.toReversed()) {
      const response = id === asked[0] ? "stop" : "allow_once";
      expect((await answer(id, response)).status).toBe(200);
    }
  }
  expect(asked).toHaveLength(3);
  expect(frames.filter(({ type }) => type === "approval_required")).toHaveLength(3);
  expect(frames.filter(({ type }) => type === "tool_call")).toHaveLength(3);
  expect(frames.at(-1)).toMatchObject({ type: "done", data: { status: "completed" } });
});

it("what waits in all projects is listed oldest first, until it is answered or its task is cancelled", async () => {
  const LIST = "/api/chat/agent/approvals";
  const { account } = await newChatClient(service);
  const asked: Record<"approval_id" | "project_id" | "task_id", string>[] = [];
  for (let n = 0; n < 2; n += 1) {
    const own = await newChatClient(service, { account });
    const stream = await own.send(writes("listed.txt"));
    const { data } = await frameOf(stream, "approval_required");
    const { projectId: project_id } = own;
    asked.push({ approval_id: String(data?.["approval_id"]), project_id, task_id: stream.taskId });
  }
  const list = async (query = "") =>
    (await service.call<unknown[]>("GET", `${LIST}${query}`, { token: account.token })).body;
  expect(await list()).toMatchObject(asked);
  const [first, second] = asked;
  expect(await list(`?project_id=${first?.project_id}`)).toMatchObject(asked.slice(0, 1));
  const single = await service.call("GET", `${LIST}/${first?.approval_id}`, { token: account.token });
  expect(single.body).toMatchObject({ ...first, response: null });
  expect((await answer(first?.approval_id, "allow_once", account.token)).status).toBe(200);
  expect(await list()).toMatchObject(asked.slice(1));
  await service.call("POST", `/api/chat/agent/cancel/${second?.task_id}`, { token: account.token });
  await vi.waitFor(async () => expect(await list()).toEqual([]));
});
