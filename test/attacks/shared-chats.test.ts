import type { api } from "@agent-workspace/client";
import { afterAll, describe, expect, it, vi } from "vitest";
import { followProject } from "#test/support/project-follower.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { openSocket, type TestSocket } from "#test/support/socket.ts";
import { call, script } from "#test/support/task-client.ts";
import { newTeamClient } from "#test/support/team-client.ts";
import { fieldsOf } from "#test/support/fields.ts";
import type { Account } from "#test/support/api-client.ts";

const service = sharedService();
/** Stands in the owner's message, in a command and in the answer. */
const SAID = `said-${crypto.randomUUID()}`;
const MESSAGE = script({ tools: [call("bash_exec", { command: `echo ${SAID}` })] }, { text: SAID });

const team = await newTeamClient(service);
const { token: owner } = team.owner;
const { id: projectId } = await service.newProject(owner);
const admin = await team.join("admin");
const editor = await team.join("editor");
const viewer = await team.join("viewer");
const stranger = await service.signUp("stranger");

async function newChat(token = owner): Promise<string> {
  const json = { project_id: projectId, title: "Plan of the week" };
  const { body } = await service.call<{ id: string }>("POST", "/api/chat", { token, json });
  return body.id;
}

const share = (chat: string, token = owner, isShared = true) =>
  service.call("PATCH", `/api/chat/${chat}/update`, { token, json: { is_shared: isShared } });

const sockets: TestSocket[] = [];
const leaving: (() => void)[] = [];
afterAll(() => {
  for (const socket of sockets) socket.close();
  for (const leave of leaving) leave();
});

async function open({ token }: { token: string }, query: Record<string, string> = { shared: "true" }) {
  const socket = await openSocket(
    service.url,
    `/ws/chat/${projectId}?${new URLSearchParams({ token, ...query })}`,
  );
  sockets.push(socket);
  return socket;
}

const sent = (socket: TestSocket) => JSON.stringify(socket.frames);

/** Sends a message on a socket; resolves with the ids of the question that its call waits for. */
async function ask(socket: TestSocket, chat: string, message: string) {
  socket.send({ message, chat_id: chat, edit_mode: "ask" });
  const asked = await socket.next("approval_required");
  return {
    taskId: String(asked["task_id"]),
    approvalId: String(fieldsOf(asked["data"])["approval_id"]),
  };
}

const answer = (approvalId: string, token: string, response = "allow_once") =>
  service.call("POST", "/api/chat/agent/approval", { token, json: { approval_id: approvalId, response } });

const people: Record<string, Account> = { owner: team.owner, admin, editor, viewer, stranger };

const until = (socket: TestSocket, word: string) =>
  vi.waitFor(() => {
    if (!sent(socket).includes(word)) throw new Error(`No ${word} in ${sent(socket)}`);
  });

describe("a shared chat", async () => {
  const chat = await newChat();
  const ofEditor = await open(editor);
  const ofViewer = await open(viewer);
  const ofViewerAsBefore = await open(viewer, {});
  const stream = await followProject(service.url, `${projectId}&shared=true`, {
    authorization: `Bearer ${viewer.token}`,
  });
  leaving.push(() => stream.leave());
  await share(chat);
  const ofOwner = await open(team.owner);
  const { taskId, approvalId } = await ask(ofOwner, chat, MESSAGE);
  await until(ofViewer, "approval_required");
  await until(ofEditor, "approval_required");
  await vi.waitFor(() => {
    if (!stream.text().includes("approval_required")) throw new Error("The stream has no question yet");
  });

  it.each([
    ["GET", `/api/chat/session/${chat}/messages`],
    ["GET", `/api/chat/${projectId}/history?chat_id=${chat}`],
    ["GET", `/api/chat/agent/active?project_id=${projectId}&chat_id=${chat}`],
    ["GET", `/api/chat/agent/steps/${taskId}`],
  ])("is read by the people of the project, and by nobody else: %s %s", async (method, path) => {
    for (const [name, { token }] of Object.entries(people)) {
      const { status, text } = await service.call(method, path, { token });
      const isTold = name !== "stranger" || !text.includes(SAID);
      expect([name, status, isTold]).toEqual([name, name === "stranger" ? 404 : 200, true]);
    }
  });

  it.each([
    `/api/chat/${projectId}/sessions`,
    "/api/chat?limit=20",
    `/api/chat/search?q=${SAID}`,
    "/api/sidebar/tree",
  ])("is in %s for others only on request", async (path) => {
    for (const [name, { token }] of Object.entries(people)) {
      const plain = await service.call("GET", path, { token });
      const asked = await service.call("GET", `${path}${path.includes("?") ? "&" : "?"}shared=true`, {
        token,
      });
      const isListed = [plain.text.includes(chat), asked.text.includes(chat)];
      expect([name, ...isListed]).toEqual([name, name === "owner", name !== "stranger"]);
    }
  });

  it("is in the sidebar of a page for others only on request", async () => {
    for (const [name, { token }] of Object.entries(people)) {
      const isListed = async (query: string) => {
        const path = `/api/sidebar?project_id=${projectId}${query}`;
        const { body } = await service.call<{ tree: object }>("GET", path, { token });
        return JSON.stringify(body.tree).includes(chat);
      };
      const found = [await isListed(""), await isListed("&shared=true")];
      expect([name, ...found]).toEqual([name, name === "owner", name !== "stranger"]);
    }
  });

  it("shows its tasks live to those who asked for shared ones, with who wrote the message", () => {
    const announced = ofViewer.frames.find(
      ({ type, task_id: id }) => type === "agent_event" && id === taskId,
    );
    const { data } = fieldsOf(announced?.["payload"]);
    expect(fieldsOf(data)["user_id"]).toBe(team.owner.id);
    expect(sent(ofViewerAsBefore)).not.toContain(taskId);
    expect(stream.of(taskId).map(({ type }) => type)).toContain("approval_required");
  });

  it("has its title, its sharing, its settings and its end from its owner and from administrators alone", async () => {
    const changes = [
      { json: { title: "Mine" }, byAdmin: 200 },
      { json: { is_shared: true }, byAdmin: 200 },
      { json: { edit_mode: "allow" }, byAdmin: 403 },
      { json: { model: "builtin/demo" }, byAdmin: 403 },
    ];
    for (const { json, byAdmin } of changes) {
      const path = `/api/chat/${chat}/update`;
      const by = async ({ token }: Account) => (await service.call("PATCH", path, { token, json })).status;
      expect([json, await by(viewer), await by(editor), await by(stranger), await by(admin)]).toEqual([
        json,
        403,
        403,
        404,
        byAdmin,
      ]);
    }
    for (const [method, path] of [
      ["DELETE", `/api/chat/${chat}`],
      ["DELETE", `/api/chat/${projectId}/messages?chat_id=${chat}`],
      ["POST", `/api/chat/${chat}/compact`],
      ["PATCH", `/api/chat/${chat}/project`],
    ] as const) {
      const json = method === "PATCH" ? { project_id: projectId } : undefined;
      const { status } = await service.call(method, path, { token: editor.token, json });
      expect([path, status]).toEqual([path, 403]);
    }
  });

  it("takes messages of editors, each a task of its sender, and none of viewers", async () => {
    const refused = await service.call("POST", "/api/chat/agent", {
      token: viewer.token,
      json: { chat_id: chat, message: "May I?" },
    });
    expect(refused.status).toBe(403);
    ofEditor.send({ message: "And then?", chat_id: chat });
    const waiting = await ofEditor.next("waiting");
    // The owner's question stays open: it is not denied by what another person writes.
    expect(fieldsOf(fieldsOf(waiting["data"])["waiting_for"])).toMatchObject({
      task_id: taskId,
      approval_id: approvalId,
      refused: false,
    });
    expect((await answer(approvalId, viewer.token)).status).toBe(403);
    expect((await answer(approvalId, owner, "allow_all")).status).toBe(200);
    await until(ofViewer, `"done"`);
    await ofEditor.next("done");
    const { body } = await service.call<api.ChatMessage[]>("GET", `/api/chat/session/${chat}/messages`, {
      token: viewer.token,
    });
    const authors = body.filter(({ role }) => role === "user").map(({ author }) => author?.id);
    expect(authors).toEqual([team.owner.id, editor.id]);
    const tasks = await service.call<api.TaskList>("GET", "/api/chat/agent/tasks", {
      token: editor.token,
    });
    expect(tasks.text).toContain(String(waiting["task_id"]));
    expect(tasks.text).not.toContain(taskId);
  });

  it("lets no task of another person run what its owner allowed for the whole chat", async () => {
    // The owner has allowed the tool above, and the mode below counts for the owner's messages.
    await service.call("PATCH", `/api/chat/${chat}/update`, { token: owner, json: { edit_mode: "allow" } });
    const socket = await open(editor);
    socket.send({ message: MESSAGE, chat_id: chat, max_iterations: 3 });
    const asked = await socket.next("approval_required");
    const id = String(fieldsOf(asked["data"])["approval_id"]);
    expect((await answer(id, editor.token, "allow_all")).status).toBe(200);
    await socket.next("done");
    // From then on it counts for the editor, too.
    socket.send({ message: MESSAGE, chat_id: chat, edit_mode: "ask" });
    const { task_id: next } = await socket.next("message_accepted");
    await vi.waitFor(() =>
      expect(socket.frames).toContainEqual(expect.objectContaining({ type: "done", task_id: next })),
    );
    const asking = socket.frames.filter(
      ({ type, task_id: of }) => type === "approval_required" && of === next,
    );
    expect(asking).toEqual([]);
  });
});

describe("a chat that is no longer shared", () => {
  it("is gone for others at once, with their tasks and the streams that were open", async () => {
    const chat = await newChat();
    await share(chat);
    const ofOwner = await open(team.owner);
    const ofEditor = await open(editor);
    const ofViewer = await open(viewer);
    const { taskId, approvalId } = await ask(ofOwner, chat, MESSAGE);
    ofEditor.send({ message: "And then?", chat_id: chat });
    const { task_id: editors } = await ofEditor.next("message_accepted");
    await until(ofViewer, "approval_required");
    const events = await fetch(`${service.url}/api/chat/agent/events/${taskId}`, {
      headers: { authorization: `Bearer ${viewer.token}` },
    });
    expect(events.status).toBe(200);
    expect((await share(chat, owner, false)).status).toBe(200);
    for (const [name, { token }] of Object.entries(people)) {
      if (name === "owner") continue;
      const read = await service.call("GET", `/api/chat/session/${chat}/messages`, { token });
      const write = await service.call("POST", "/api/chat/agent", {
        token,
        json: { project_id: projectId, chat_id: chat, message: "Still here?" },
      });
      const listed = await service.call("GET", `/api/chat/${projectId}/sessions?shared=true`, { token });
      expect([name, read.status, [403, 404].includes(write.status), listed.text.includes(chat)]).toEqual([
        name,
        404,
        true,
        false,
      ]);
    }
    const status = async () => {
      const path = `/api/chat/agent/status/${String(editors)}`;
      return (await service.call<{ status: string }>("GET", path, editor)).body.status;
    };
    await expect.poll(status).toBe("cancelled");
    // A check of the access holds for a second.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await answer(approvalId, owner)).status).toBe(200);
    await ofOwner.next("done");
    await until(ofViewer, "Task not found");
    const ends = ofViewer.frames.filter(
      ({ type, task_id: of, payload }) =>
        type === "agent_event" && of === taskId && fieldsOf(payload)["type"] === "done",
    );
    expect(ends).toEqual([]);
    const streamed = await events.text();
    expect(streamed).toContain("Task not found");
    expect(streamed).not.toContain(`"type":"done"`);
  });

  it("is not reached by who lost the role in the project", async () => {
    const chat = await newChat();
    await share(chat);
    const former = await team.join("editor");
    const path = `/api/chat/session/${chat}/messages`;
    expect((await service.call("GET", path, former)).status).toBe(200);
    expect((await team.asOwner("DELETE", `/members/${former.id}`)).status).toBe(204);
    expect((await service.call("GET", path, former)).status).toBe(404);
  });
});
