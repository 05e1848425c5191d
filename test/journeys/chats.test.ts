import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { newChatClient } from "#test/support/chat-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { fieldsOf } from "#test/support/fields.ts";

const service = sharedService();
const client = await newChatClient(service);

interface ListedChat extends api.Chat {
  message_count: number;
}

const newChat = async (json: object = { project_id: client.projectId }) =>
  (await client.call<api.Chat>("POST", "/api/chat/", json)).body;
const messagesOf = async (chatId: string) =>
  (await client.call<api.ChatMessage[]>("GET", `/api/chat/session/${chatId}/messages`)).body;
const sessions = async () =>
  (await client.call<ListedChat[]>("GET", `/api/chat/${client.projectId}/sessions`)).body;
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
    const { body: all } = await client.call<api.ListChatsAnswerItem[]>("GET", "/api/chat/");
    const listed = all.find(({ id }) => id === chat.id);
    expect(listed).toMatchObject({ title: "Tulips", status: "completed" });
    const turn = ["user", "assistant"];
    expect(listed?.messages?.map(({ role }) => role)).toEqual([...turn, ...turn]);
  });

  it("is in the sidebar, below its project or at the root", async () => {
    const [root, below] = [await newChat({ title: "Root" }), await newChat()];
    const { body } = await client.call<api.GetChatSidebarAnswer>("GET", "/api/sidebar/tree");
    expect(body.rootChats[0]?.id).toBe(root.id);
    const chats = new Map(body.projects.map(({ id, chats: listed }) => [id, listed]));
    expect(chats.get(client.projectId)?.[0]?.id).toBe(below.id);
    expect(chats.get(root.project_id)).toEqual([]);
  });

  it("is in what surrounds a page, which says what each of its parts says, and of others' projects nothing", async () => {
    await newChat();
    const read = async (path: string) => (await client.call("GET", path)).body;
    const [me, teams, tree, credits, approvals] = await Promise.all(
      ["users/me", "teams", "sidebar/tree", "billing/credits", "chat/agent/approvals"].map((path) =>
        read(`/api/${path}`),
      ),
    );
    const parts = { me, teams, tree, credits, approvals };
    expect(await read(`/api/sidebar?project_id=${client.projectId}`)).toEqual({ ...parts, role: "admin" });
    const foreign = await newChatClient(service);
    for (const query of ["", `?project_id=${foreign.projectId}`, "?project_id=no-such-project"]) {
      expect(await read(`/api/sidebar${query}`)).toEqual({ ...parts, role: null });
    }
  });

  it("is deleted, unless it is the last of its project", async () => {
    const own = await newChatClient(service);
    const make = async () =>
      (await own.call<api.Chat>("POST", "/api/chat", { project_id: own.projectId })).body.id;
    const [first, second] = [await make(), await make()];
    expect((await own.call("DELETE", `/api/chat/${first}`)).body).toEqual({ success: true });
    expect(await own.call("DELETE", `/api/chat/${second}`)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("last chat") },
    });
    const both = await Promise.all([make(), make()]);
    const answers = await Promise.all([second, ...both].map((id) => own.call("DELETE", `/api/chat/${id}`)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 400]);
  });
});

describe("what was said", () => {
  it("is there with what the agent did, and with the answer that is to come", async () => {
    const chat = await newChat();
    await client.ask(write("said.txt", "one"), { chat_id: chat.id, edit_mode: "allow" });
    const slow = await client.send(script({ text: "late", first_delay_ms: 60_000 }), { chat_id: chat.id });
    const path = `/api/chat/${client.projectId}/messages?chat_id=${chat.id}`;
    const { body } = await client.call<api.ChatMessage[]>("GET", path);
    expect(body.map(({ role, content }) => [role, content])).toEqual([
      ["user", write("said.txt", "one")],
      ["assistant", "Written."],
      ["user", expect.any(String)],
      ["assistant", ""],
    ]);
    expect(body[1]?.message_metadata).toMatchObject({
      model: "builtin/demo",
      credits_used: 0,
      completion_reason: "stop",
      iterations: 2,
      tool_calls_made: 1,
      session_id: chat.id,
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
    const underWay = { completion_reason: "in_progress", task_id: slow.taskId };
    expect(body[3]?.message_metadata).toMatchObject(underWay);
    await client.call("POST", `/api/chat/agent/cancel/${slow.taskId}`);
    await Array.fromAsync(slow.frames());
    const ended = await messagesOf(chat.id);
    expect(ended.at(-1)?.message_metadata).toMatchObject({ completion_reason: "cancelled" });
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

it("a chat that is deleted while its agent works ends its tasks as cancelled, at once", async () => {
  const own = await newChatClient(service);
  const make = async () =>
    (await own.call<api.Chat>("POST", "/api/chat", { project_id: own.projectId })).body.id;
  const [chat_id] = [await make(), await make()];
  // Longer than the test may last: that it passes says that nothing waited for the command.
  const turn = { tools: [call("bash_exec", { command: "sleep 600", timeout: 600 })] };
  const works = await own.send(script(turn, { text: "Done." }), { chat_id, edit_mode: "allow" });
  const waits = await own.send("next", { chat_id });
  const frames = [];
  for await (const frame of works.frames()) {
    frames.push(frame);
    if (frame.type !== "tool_start") continue;
    expect((await own.call("DELETE", `/api/chat/${chat_id}`)).status).toBe(200);
  }
  for (const seen of [frames, await Array.fromAsync(waits.frames())]) {
    expect(seen.some(({ type }) => type === "error")).toBe(false);
    expect(seen.find(({ type }) => type === "complete")?.data).toMatchObject({
      success: false,
      completion_reason: "cancelled",
    });
    expect(seen.at(-1)).toMatchObject({ type: "done", data: { status: "cancelled" } });
  }
});
