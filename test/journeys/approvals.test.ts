import { beforeAll, describe, expect, it, vi } from "vitest";
import {
  frameOf,
  newChatClient,
  openStream,
  type ChatClient,
  type ChatFrame,
  type ChatStream,
} from "#test/support/chat-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { openSocket } from "#test/support/socket.ts";
import { newTeamClient } from "#test/support/team-client.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
let client: ChatClient;
beforeAll(async () => {
  client = await newChatClient(service);
});

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

  it("is not run when it is stopped, which the model is told", async () => {
    const stream = await client.send(writes("never.txt"), { chat_id: await newChat() });
    const frames = await answering(stream, "stop");
    expect(frames.find(({ type }) => type === "tool_call")?.data).toMatchObject({
      result: { success: false },
    });
    expect(frames.at(-1)).toMatchObject({ type: "done", data: { status: "completed" } });
    expect(await contentOf("never.txt")).toBe(404);
  });

  it("is refused in plan mode, and runs in allow mode", async () => {
    const plan = await client.ask(writes("plan.txt"), { chat_id: await newChat(), edit_mode: "plan" });
    expect(plan.find(({ type }) => type === "tool_call")?.data).toMatchObject({ result: { success: false } });
    await client.ask(writes("allow.txt"), { chat_id: await newChat(), edit_mode: "allow" });
    expect([await contentOf("plan.txt"), await contentOf("allow.txt")]).toEqual([404, 200]);
  });

  it("changes nothing by a command in plan mode", async () => {
    await client.ask(writes("seen.txt"), { chat_id: await newChat(), edit_mode: "allow" });
    const commands = [
      "rm seen.txt",
      "echo x > seen.txt",
      "echo x > made.txt",
      "git commit -am x",
      "(sleep 1; rm seen.txt) &",
    ];
    const looking = script(
      ...commands.map((command) => ({ tools: [call("bash_exec", { command })] })),
      { tools: [call("bash_exec", { command: "sleep 1; cat seen.txt" })] },
      { text: "Done." },
    );
    const frames = await client.ask(looking, { chat_id: await newChat(), edit_mode: "plan" });
    const seen = frames.findLast(({ type }) => type === "tool_call");
    expect(seen?.data).toMatchObject({ result: { success: true, stdout: "seen.txt" } });
    expect([await contentOf("seen.txt"), await contentOf("made.txt")]).toEqual([200, 404]);
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

  it("of a stranger is refused, as is an answer to an unknown question", async () => {
    const stranger = await service.signUp();
    const refused = { status: 404, body: { detail: "Approval not found" } };
    expect(await answer(approvalId, "allow_once", stranger.token)).toMatchObject(refused);
    expect(await answer(crypto.randomUUID(), "allow_once")).toMatchObject(refused);
    expect((await answer("none", "allow_once")).status).toBe(422);
    expect((await answer(approvalId, "maybe")).status).toBe(422);
    const { key } = await newTaskClient(service, { account: client.account, projectId: client.projectId });
    expect(await answer(approvalId, "allow_once", key)).toMatchObject({
      status: 403,
      body: { detail: "Only people may answer an approval: API keys cannot" },
    });
    expect((await answer(approvalId, "allow_once", `tsk_${"0".repeat(32)}`)).status).toBe(401);
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

it("a colleague with write access can answer, a viewer cannot", async () => {
  const team = await newTeamClient(service);
  const { id: projectId } = await service.newProject(team.owner.token);
  const owner = await newChatClient(service, { account: team.owner, projectId });
  const [editor, viewer] = [await team.join("editor"), await team.join("viewer")];
  const stream = await owner.send(writes("team.txt"));
  for await (const frame of stream.frames()) {
    if (frame.type !== "approval_required") continue;
    const open = await service.call<{ approval_id: string }[]>(
      "GET",
      `/api/chat/agent/approvals?project_id=${projectId}`,
      { token: editor.token },
    );
    expect(open.body).toMatchObject([{ task_id: stream.taskId, chat_id: stream.chatId, tool: "write_file" }]);
    const id = open.body[0]?.approval_id;
    expect(id).toBe(frame.data?.["approval_id"]);
    expect((await answer(id, "allow_once", viewer.token)).status).toBe(403);
    expect((await answer(id, "allow_once", editor.token)).status).toBe(200);
  }
  expect((await owner.replay(stream.taskId)).at(-1)).toMatchObject({ data: { status: "completed" } });
});

it("a task that waits is cancelled over HTTP, which a socket is shown at once", async () => {
  const stream = await client.send(writes("cancelled.txt"), { chat_id: await newChat() });
  const question = await frameOf(stream, "approval_required");
  const token = client.account.token;
  const socket = await openSocket(service.url, `/ws/chat/${client.projectId}?token=${token}`);
  const shown = (type: string, timeout: number) =>
    vi.waitFor(
      () =>
        expect(socket.frames).toContainEqual(
          expect.objectContaining({ task_id: stream.taskId, payload: expect.objectContaining({ type }) }),
        ),
      { timeout, interval: 20 },
    );
  await shown("approval_required", 20_000);
  // By now its events are not read any more.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect((await client.call("POST", `/api/chat/agent/cancel/${stream.taskId}`)).status).toBe(200);
  // Before the object looks after its sockets, which it does every 30 seconds.
  await shown("done", 20_000);
  socket.close();
  expect((await client.replay(stream.taskId)).at(-1)).toMatchObject({ data: { status: "cancelled" } });
  expect(await answer(question.data?.["approval_id"], "allow_once")).toMatchObject({ status: 409 });
  expect(await contentOf("cancelled.txt")).toBe(404);
});

it("messages of programs that come while a task waits are answered after it", async () => {
  const { key } = await newTaskClient(service, { account: client.account, projectId: client.projectId });
  const waits = await client.send(writes("first.txt"), { chat_id: await newChat() });
  const question = await frameOf(waits, "approval_required");
  const later = await openStream(service, "POST", "/api/chat/agent/stream", {
    token: key,
    json: { project_id: client.projectId, message: script({ text: "second" }), chat_id: waits.chatId },
  });
  expect((await answer(question.data?.["approval_id"], "allow_once")).status).toBe(200);
  const frames = await Array.fromAsync(later.frames());
  expect(frames.find(({ type }) => type === "complete")?.data).toMatchObject({ final_response: "second" });
  expect(await contentOf("first.txt")).toBe(200);
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

it("two dangerous calls of one turn are asked about one after the other", async () => {
  const both = script(
    {
      tools: [
        call("write_file", { path: "b1.txt", content: "1" }),
        call("write_file", { path: "b2.txt", content: "2" }),
      ],
    },
    { text: "Both." },
  );
  const frames = await answering(await client.send(both, { chat_id: await newChat() }), "allow_once", "stop");
  expect(frames.filter(({ type }) => type === "tool_call").map(({ data }) => data?.["result"])).toMatchObject(
    [{ success: true }, { success: false }],
  );
  expect([await contentOf("b1.txt"), await contentOf("b2.txt")]).toEqual([200, 404]);
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

it("a tool that is allowed for the chat while several of its calls are asked about settles and tells of all of them", async () => {
  const fetches = [1, 2].map((n) => call("web_fetch", { url: `http://127.0.0.1:9/${n}` }));
  const stream = await client.send(script({ tools: fetches }, { text: "Both." }), {
    chat_id: await newChat(),
  });
  const frames: ChatFrame[] = [];
  const asked: ChatFrame[] = [];
  for await (const frame of stream.frames()) {
    frames.push(frame);
    if (frame.type !== "approval_required") continue;
    asked.push(frame);
    if (asked.length < 2) continue;
    const [first, second] = asked.map(({ data }) => data?.["approval_id"]);
    expect(await answer(first, "allow_all")).toMatchObject({ status: 200 });
    const list = `/api/chat/agent/approvals?project_id=${client.projectId}`;
    const { body: open } = await client.call<{ approval_id: string }[]>("GET", list);
    expect(open.filter(({ approval_id }) => approval_id === second)).toEqual([]);
    expect(await answer(second, "stop")).toMatchObject({
      status: 409,
      body: { detail: "This approval was already answered: allow_all" },
    });
  }
  const told = frames.filter(({ type }) => type === "approval_answered").map(({ data }) => data);
  expect(told).toHaveLength(2);
  for (const question of asked) {
    const { approval_id, tool_call_id } = question.data ?? {};
    expect(told).toContainEqual({ approval_id, tool_call_id, tool_name: "web_fetch", verdict: "allowed" });
    const calls = frames.filter(({ type, data }) => type === "tool_call" && data?.["id"] === tool_call_id);
    expect(calls).toHaveLength(1);
  }
});
