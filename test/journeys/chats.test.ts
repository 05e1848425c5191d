import { beforeAll, describe, expect, it, vi } from "vitest";
import { newChatClient, type ChatClient } from "#test/support/chat-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import { fieldsOf } from "#test/support/fields.ts";

const service = sharedService();
let client: ChatClient;
beforeAll(async () => {
  client = await newChatClient(service);
});

interface ChatView {
  id: string;
  title: string | null;
  status: string;
  origin: string;
  project_id: string;
  messages?: MessageView[];
}
interface MessageView {
  id: string;
  role: string;
  content: string;
  message_metadata: Record<string, unknown> | null;
}

const newChat = async (json: object = { project_id: client.projectId }) =>
  (await client.call<ChatView>("POST", "/api/chat/", json)).body;
const messagesOf = async (chatId: string) =>
  (await client.call<MessageView[]>("GET", `/api/chat/session/${chatId}/messages`)).body;
const sessions = async () =>
  (
    await client.call<(ChatView & { message_count: number })[]>(
      "GET",
      `/api/chat/${client.projectId}/sessions`,
    )
  ).body;
const file = (path: string) =>
  client.call<{ content: string }>("GET", `/api/projects/${client.projectId}/files/${path}`);
const say = (text: string) => script({ text });
const write = (path: string, content: string) =>
  script({ text: "I write.", tools: [call("write_file", { path, content })] }, { text: "Written." });

describe("a chat", () => {
  it("is made, named by the agent after the first answer, listed, renamed and put away", async () => {
    const chat = await newChat();
    expect(chat).toMatchObject({
      title: null,
      status: "active",
      origin: "browser",
      project_id: client.projectId,
    });
    const frames = await client.ask("Tell me about tulips", { chat_id: chat.id });
    expect(frames.slice(-3).map(({ type }) => type)).toEqual(["complete", "chat_title", "done"]);
    const told = frames.filter(({ type }) => type === "chat_title").map(({ data }) => data);
    const [first] = await sessions();
    // The agent's name for it may come after the end, which then has the first line.
    expect(told).toEqual([{ chat_id: chat.id, title: expect.any(String) }]);
    expect([first?.title, "Tell me about tulips"]).toContain(fieldsOf(told[0])["title"]);
    expect(first).toMatchObject({
      id: chat.id,
      status: "completed",
      message_count: 2,
      title: expect.any(String),
    });
    const renamed = await client.call("PATCH", `/api/chat/${chat.id}/update`, {
      title: "Tulips",
      status: "archived",
    });
    expect(renamed.body).toMatchObject({ id: chat.id, title: "Tulips", status: "archived" });
    const again = await client.ask("More", { chat_id: chat.id });
    expect(again.some(({ type }) => type === "chat_title")).toBe(false);
    const unnamed = await client.call("PATCH", `/api/chat/${chat.id}/update`, { title: null });
    expect(unnamed.body).toMatchObject({ title: null });
    await client.ask("Still more", { chat_id: chat.id });
    // The model's title may come after the end.
    await vi.waitFor(async () => {
      expect((await sessions()).find(({ id }) => id === chat.id)?.title).toEqual(expect.any(String));
    });
    await client.call("PATCH", `/api/chat/${chat.id}/update`, { title: "Tulips" });
    const { body: all } = await client.call<ChatView[]>("GET", "/api/chat/");
    const listed = all.find(({ id }) => id === chat.id);
    expect(listed).toMatchObject({ title: "Tulips", status: "completed" });
    const turn = ["user", "assistant"];
    expect(listed?.messages?.map(({ role }) => role)).toEqual([...turn, ...turn, ...turn]);
  });

  it("is called by the first line of what was asked where no model names it", async () => {
    const chat = await newChat();
    const message = `${"x".repeat(59)}🎉 and more\n${script({ error: { status: 400 } })}`;
    const frames = await client.ask(message, { chat_id: chat.id });
    const title = "x".repeat(59);
    expect(frames.slice(-3)).toMatchObject([
      { type: "complete" },
      { type: "chat_title", data: { chat_id: chat.id, title } },
      { type: "done" },
    ]);
    expect((await sessions())[0]).toMatchObject({ id: chat.id, title });
    const { key } = await newTaskClient(service, { account: client.account, projectId: client.projectId });
    const json = { project_id: client.projectId, message: `${"y".repeat(59)}🎉\nsecond` };
    const answer = await service.call("POST", "/api/chat/agent", { token: key, json });
    expect(answer.status).toBe(200);
    expect((await sessions())[0]).toMatchObject({ origin: "api", title: `API: ${"y".repeat(59)}` });
  });

  it("takes no model that cannot be", async () => {
    const chat = await newChat({ title: "One" });
    const change = (json: object) => client.call("PATCH", `/api/chat/${chat.id}/update`, json);
    for (const model of ["nope", "openai/"]) {
      const detail = `model: There is no model '${model}'`;
      expect(await change({ model })).toMatchObject({ status: 400, body: { detail } });
    }
    expect(await change({ model: "openai/gpt-5" })).toMatchObject({ status: 200 });
    expect(await change({ model: null })).toMatchObject({ status: 200 });
  });

  it("about no project is about the default workspace, which is made once", async () => {
    const [one, two] = [await newChat({ title: "One" }), await newChat({})];
    expect([one.origin, two.origin]).toEqual(["standalone", "standalone"]);
    expect(two.project_id).toBe(one.project_id);
    const { body } = await client.call<{ sessions: { id: string; title: string }[]; has_more: boolean }>(
      "GET",
      "/api/chat/sessions?limit=1",
    );
    expect(body).toMatchObject({ sessions: [{ id: two.id, title: "Untitled" }], has_more: true });
    const moved = await client.call("PATCH", `/api/chat/${one.id}/project`, { project_id: client.projectId });
    expect(moved.body).toEqual({ ok: true, project_id: client.projectId });
    const back = await client.call("PATCH", `/api/chat/${one.id}/project`, { project_id: null });
    expect(back.body).toEqual({ ok: true, project_id: one.project_id });
  });

  it("is in the sidebar, below its project or at the root", async () => {
    const [root, below] = [await newChat({ title: "Root" }), await newChat()];
    type Listed = { id: string }[];
    const { body } = await client.call<{ rootChats: Listed; projects: { id: string; chats: Listed }[] }>(
      "GET",
      "/api/sidebar/tree",
    );
    expect(body.rootChats[0]?.id).toBe(root.id);
    const chats = new Map(body.projects.map(({ id, chats: listed }) => [id, listed]));
    expect(chats.get(client.projectId)?.[0]?.id).toBe(below.id);
    expect(chats.get(root.project_id)).toEqual([]);
  });

  it("can be asked without naming a project", async () => {
    const { body } = await client.call<{ success: boolean }>("POST", "/api/chat/agent", { message: "Hello" });
    expect(body.success).toBe(true);
  });

  it("is deleted, unless it is the last of its project", async () => {
    const own = await newChatClient(service);
    const make = async () =>
      (await own.call<ChatView>("POST", "/api/chat", { project_id: own.projectId })).body.id;
    const [first, second] = [await make(), await make()];
    const running = await own.send(script({ text: "late", first_delay_ms: 60_000 }), { chat_id: first });
    expect((await own.call("DELETE", `/api/chat/${first}`)).body).toEqual({ success: true });
    const frames = await Array.fromAsync(running.frames());
    expect(frames.at(-1)?.type).toBe("done");
    expect(await own.call("DELETE", `/api/chat/${second}`)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("last chat") },
    });
    const both = await Promise.all([make(), make()]);
    const answers = await Promise.all([second, ...both].map((id) => own.call("DELETE", `/api/chat/${id}`)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 400]);
  });

  it("is its user's own", async () => {
    const chat = await newChat();
    const stranger = await newChatClient(service);
    const requests: [string, string, object?][] = [
      ["GET", `/api/chat/session/${chat.id}/messages`],
      ["PATCH", `/api/chat/${chat.id}/update`, { title: "mine" }],
      ["PATCH", `/api/chat/${chat.id}/project`, { project_id: stranger.projectId }],
      ["POST", `/api/chat/${chat.id}/undo`],
      ["POST", `/api/chat/${chat.id}/compact`],
      ["DELETE", `/api/chat/${chat.id}`],
      ["POST", `/api/chat/agent/force-cancel?chat_id=${chat.id}`],
      ["GET", `/api/chat/${stranger.projectId}/history?chat_id=${chat.id}`],
      ["DELETE", `/api/chat/${stranger.projectId}/messages?chat_id=${chat.id}`],
      ["GET", `/api/chat/${client.projectId}/history`],
    ];
    for (const [method, path, json] of requests) {
      expect([path, (await stranger.call(method, path, json)).status]).toEqual([path, 404]);
    }
    const invoke = async (by: Parameters<typeof newTaskClient>[1]) =>
      (await newTaskClient(service, by)).invoke("Hello", { chat_id: chat.id });
    const detail = "Chat not found";
    expect(await invoke({ account: stranger.account })).toMatchObject({ status: 404, body: { detail } });
    // From another project.
    expect(await invoke({ account: client.account })).toMatchObject({ status: 404, body: { detail } });
  });
});

describe("what was said", () => {
  it("is there with what the agent did, and with the answer that is to come", async () => {
    const chat = await newChat();
    await client.ask(write("said.txt", "one"), { chat_id: chat.id, edit_mode: "allow" });
    const slow = await client.send(script({ text: "late", first_delay_ms: 60_000 }), { chat_id: chat.id });
    const paths = [`/api/chat/${client.projectId}/history`, `/chat/${client.projectId}/history`];
    for (const path of [...paths, `/api/chat/${client.projectId}/messages?chat_id=${chat.id}`]) {
      const { body } = await client.call<MessageView[]>("GET", path);
      expect(body.map(({ role, content }) => [role, content])).toEqual([
        ["user", write("said.txt", "one")],
        ["assistant", "Written."],
        ["user", expect.any(String)],
        ["assistant", ""],
      ]);
      expect(body[1]?.message_metadata).toMatchObject({
        agent_mode: true,
        completion_reason: "stop",
        iterations: 2,
        tool_calls_made: 1,
        session_id: chat.id,
        steps_table: true,
        checkpoint_hash: expect.any(String),
        steps: [
          {
            iteration: 1,
            thought: "I write.",
            is_complete: false,
            tool_calls: [{ name: "write_file", parameters: { path: "said.txt" }, result: { success: true } }],
          },
          { iteration: 2, response_text: "Written.", is_complete: true },
        ],
      });
      expect(body[3]?.message_metadata).toMatchObject({
        completion_reason: "in_progress",
        task_id: slow.taskId,
      });
    }
    await client.call("POST", `/api/chat/agent/cancel/${slow.taskId}`);
    await Array.fromAsync(slow.frames());
    const ended = await messagesOf(chat.id);
    expect(ended.at(-1)?.message_metadata).toMatchObject({ completion_reason: "cancelled" });
  });

  it("is nothing in a project without chats", async () => {
    const own = await newChatClient(service);
    expect((await own.call("GET", `/api/chat/${own.projectId}/messages`)).body).toEqual([]);
    expect((await own.call("DELETE", `/api/chat/${own.projectId}/messages`)).body).toMatchObject({
      deleted_count: 0,
    });
  });

  it("is cleared, but not while the agent works, when nothing is taken back or made shorter either", async () => {
    const chat = await newChat();
    await client.ask(say("one"), { chat_id: chat.id });
    const slow = await client.send(script({ text: "late", first_delay_ms: 60_000 }), { chat_id: chat.id });
    const path = `/api/chat/${client.projectId}/messages?chat_id=${chat.id}`;
    expect((await client.call("DELETE", path)).status).toBe(409);
    for (const act of ["undo", "compact"]) {
      expect((await client.call("POST", `/api/chat/${chat.id}/${act}`)).status).toBe(409);
    }
    await client.call("POST", `/api/chat/agent/cancel/${slow.taskId}`);
    await Array.fromAsync(slow.frames());
    expect((await client.call("DELETE", path)).body).toMatchObject({ success: true, deleted_count: 4 });
    expect(await messagesOf(chat.id)).toEqual([]);
  });
});

describe("taking back", () => {
  it("removes the last question with its answer, and puts the files back", async () => {
    const chat = await newChat();
    const work = (content: string) =>
      client.ask(write("undo.txt", content), { chat_id: chat.id, edit_mode: "allow" });
    await work("first");
    await work("second");
    await client.ask(say("no files"), { chat_id: chat.id });
    const undo = () => client.call<Record<string, unknown>>("POST", `/api/chat/${chat.id}/undo`);
    const talk = await undo();
    expect(talk.body).toMatchObject({
      success: true,
      removed_count: 2,
      last_user_message: say("no files"),
      files_reverted: false,
    });
    expect((await undo()).body).toMatchObject({
      files_reverted: true,
      last_user_message: write("undo.txt", "second"),
    });
    expect((await file("undo.txt")).body.content).toBe("first");
    expect((await messagesOf(chat.id)).map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect((await undo()).body).toMatchObject({ files_reverted: true });
    expect((await file("undo.txt")).status).toBe(404);
    expect((await undo()).status).toBe(400);
  });
});

describe("making a chat shorter", () => {
  it("takes six messages", async () => {
    const chat = await newChat();
    for (const text of ["one", "two"]) await client.ask(say(text), { chat_id: chat.id });
    expect(await client.call("POST", `/api/chat/${chat.id}/compact`)).toMatchObject({
      status: 200,
      body: { success: false, detail: expect.any(String) },
    });
    await client.ask(say("three"), { chat_id: chat.id });
    const { body } = await client.call<Record<string, unknown>>("POST", `/api/chat/${chat.id}/compact`);
    expect(body).toMatchObject({
      success: true,
      before_count: 6,
      after_count: 3,
      summary: expect.any(String),
    });
    expect(await messagesOf(chat.id)).toHaveLength(6);
    const again = await client.call("POST", `/api/chat/${chat.id}/compact`);
    expect(again.body).toMatchObject({ success: false });
    const frames = await client.ask(say("goes on"), { chat_id: chat.id });
    expect(frames.at(-1)).toMatchObject({ data: { status: "completed" } });
  });
});

describe("a chat that is deleted while its agent works", () => {
  const COMMAND_MS = 60_000;
  const WORK: [string, object, string][] = [
    [
      "runs a command",
      { tools: [call("bash_exec", { command: `sleep ${COMMAND_MS / 1_000}` })] },
      "tool_start",
    ],
    [
      "waits for an answer",
      { tools: [call("web_fetch", { url: "http://127.0.0.1:9/" })] },
      "approval_required",
    ],
  ];

  it.each(WORK)("ends its tasks as cancelled, at once: it %s", async (_, turn, until) => {
    const own = await newChatClient(service);
    const make = async () =>
      (await own.call<ChatView>("POST", "/api/chat", { project_id: own.projectId })).body.id;
    const [chat_id] = [await make(), await make()];
    const edit_mode = until === "approval_required" ? "ask" : "allow";
    const works = await own.send(script(turn, { text: "Done." }), { chat_id, edit_mode });
    const waits = await own.send("next", { chat_id });
    const frames = [];
    let began = 0;
    for await (const frame of works.frames()) {
      frames.push(frame);
      if (frame.type !== until || began > 0) continue;
      began = performance.now();
      expect((await own.call("DELETE", `/api/chat/${chat_id}`)).status).toBe(200);
    }
    expect(performance.now() - began).toBeLessThan(COMMAND_MS);
    for (const seen of [frames, await Array.fromAsync(waits.frames())]) {
      expect(seen.some(({ type }) => type === "error")).toBe(false);
      expect(seen.find(({ type }) => type === "complete")?.data).toMatchObject({
        success: false,
        completion_reason: "cancelled",
      });
      expect(seen.at(-1)).toMatchObject({ type: "done", data: { status: "cancelled" } });
    }
  });
});
