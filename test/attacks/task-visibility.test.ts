import { afterAll, describe, expect, it, vi } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { followProject, type ProjectFollower } from "#test/support/project-follower.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { openSocket, type TestSocket } from "#test/support/socket.ts";
import { call, script } from "#test/support/task-client.ts";
import { newTeamClient } from "#test/support/team-client.ts";
import { fieldsOf } from "#test/support/fields.ts";

const service = sharedService();
/** Stands in the message, in a command and in the answer. */
const PRIVATE = `private-${crypto.randomUUID()}`;
const MESSAGE = script({ tools: [call("bash_exec", { command: `echo ${PRIVATE}` })] }, { text: PRIVATE });

/** A person who looks, with a session or with a key. */
interface Viewer {
  name: string;
  token: string;
  isKey: boolean;
  /** Whether the chat is theirs. */
  isOwner: boolean;
  /** Whether they may answer the agent's question; keys may read it. */
  mayAnswer: boolean;
}

const viewers: Viewer[] = [];

/** Sockets and streams that were open before the task began, by the name of their viewer. */
const sockets = new Map<string, TestSocket[]>();
const followers = new Map<string, ProjectFollower>();

async function admit(role: string, account: Account): Promise<void> {
  const isOwner = role === "owner";
  const mayAnswer = ["owner", "admin", "editor"].includes(role);
  const { key } = await service.newKey(account.token);
  viewers.push({ name: role, token: account.token, isKey: false, isOwner, mayAnswer });
  viewers.push({ name: `${role}'s key`, token: key, isKey: true, isOwner, mayAnswer });
}

const chatSocket = ({ token }: Viewer, query: Record<string, string> = {}) =>
  openSocket(service.url, `/ws/chat/${projectId}?${new URLSearchParams({ token, ...query })}`);

/** All that a socket was sent. */
const sent = (socket: TestSocket) => JSON.stringify(socket.frames);
const has = (part: object, id: string) => JSON.stringify(part).includes(id);
const shows = (text: string) => text.includes(PRIVATE);
const isIn = (socket: TestSocket, word: string) =>
  vi.waitFor(
    () => {
      if (!sent(socket).includes(word)) throw new Error(`No ${word} in ${sent(socket)}`);
    },
    { interval: 20 },
  );

const team = await newTeamClient(service);
const projectId = (await service.newProject(team.owner.token)).id;
const made = await service.call<{ id: string }>("POST", "/api/chat", {
  token: team.owner.token,
  json: { project_id: projectId },
});
const chatId = made.body.id;
await admit("owner", team.owner);
for (const role of ["admin", "editor", "viewer"] as const) await admit(role, await team.join(role));
await admit("stranger", await service.signUp("stranger"));
for (const viewer of viewers.filter(({ name }) => !name.startsWith("stranger"))) {
  const inPath = await openSocket(service.url, `/api/chat/ws/${viewer.token}`);
  inPath.send({ type: "ping", project_id: projectId });
  sockets.set(viewer.name, [await chatSocket(viewer), inPath]);
  const headers = { authorization: `Bearer ${viewer.token}` };
  followers.set(viewer.name, await followProject(service.url, projectId, headers));
}
const [owners] = sockets.get("owner") ?? [];
owners?.send({ message: MESSAGE, chat_id: chatId, edit_mode: "ask" });
const asked = await owners?.next("approval_required");
const taskId = String(asked?.["task_id"]);
const approvalId = String(fieldsOf(asked?.["data"])["approval_id"]);
afterAll(() => {
  for (const each of sockets.values()) for (const socket of each) socket.close();
  for (const follower of followers.values()) follower.leave();
});

/** With the ids of what is looked for. */
const at = (path: string) =>
  path.replace(":chat", chatId).replace(":task", taskId).replace(":project", projectId);

/** What a person is told by an address, as whether it shows the task and its status. */
async function told(viewer: Viewer, path: string) {
  const { status, text } = await service.call("GET", at(path), viewer);
  const isTold = [PRIVATE, taskId].some((word) => text.includes(word));
  return { viewer: viewer.name, isTold, status };
}

/** Lists in which a task, its chat or what was said stands. */
const LISTS = [
  { path: "/api/chat/:project/history?chat_id=:chat", keysOnly: false },
  { path: "/api/chat/?limit=20", keysOnly: false },
  { path: `/api/chat/search?q=${PRIVATE}`, keysOnly: false },
  { path: "/api/chat/agent/active?project_id=:project&chat_id=:chat", keysOnly: false },
  { path: "/api/chat/agent/active-in-project?project_id=:project", keysOnly: false },
  { path: "/api/chat/agent/tasks", keysOnly: false },
  { path: "/api/chat/agent/tasks?project_id=:project&active_only=true", keysOnly: false },
  { path: "/api/v1/agents/tasks", keysOnly: true },
  { path: "/api/v1/agents/tasks?project_id=:project&active_only=true", keysOnly: true },
];

/** Lists of chats, in which no task stands. */
const CHAT_LISTS = ["/api/chat/:project/sessions", "/api/chat/sessions", "/api/sidebar/tree"];

describe("a task that waits in a person's private chat", () => {
  it.each(LISTS)("is told of by $path to its owner alone", async ({ path, keysOnly }) => {
    for (const viewer of viewers.filter(({ isKey }) => isKey || !keysOnly)) {
      expect(await told(viewer, path)).toMatchObject({ viewer: viewer.name, isTold: viewer.isOwner });
    }
  });

  it.each(CHAT_LISTS)("has a chat that %s lists for others never", async (path) => {
    for (const viewer of viewers.filter(({ isOwner }) => !isOwner)) {
      const { text } = await service.call("GET", at(path), viewer);
      expect([viewer.name, text.includes(chatId)]).toEqual([viewer.name, false]);
    }
  });

  it.each([
    ["POST", "/api/chat/agent/cancel/:task"],
    ["POST", "/api/v1/agents/tasks/:task/cancel"],
    ["POST", "/api/chat/agent/force-cancel?chat_id=:chat"],
    ["POST", "/api/chat/:chat/undo"],
    ["POST", "/api/chat/:chat/compact"],
    ["DELETE", "/api/chat/:chat"],
  ])("is not found by others at %s %s", async (method, path) => {
    for (const { name, token, isOwner, isKey } of viewers) {
      if (isOwner || (path.startsWith("/api/v1/") && !isKey)) continue;
      // A viewer is refused whatever the id belongs to.
      const refused = name.startsWith("viewer") ? 403 : 404;
      expect([name, (await service.call(method, at(path), { token })).status]).toEqual([name, refused]);
    }
  });

  it.each(["", ":project"])(
    "puts its question to those who may answer it, and to no other person: project %s",
    async (project) => {
      const path = `/api/chat/agent/approvals${project && `?project_id=${at(project)}`}`;
      for (const viewer of viewers) {
        const { status, text } = await service.call("GET", path, viewer);
        expect([viewer.name, text.includes(approvalId)]).toEqual([viewer.name, viewer.mayAnswer]);
        const refused = viewer.name.startsWith("viewer") ? 403 : 404;
        // Without a project the list is of the caller's own projects. A key has what its owner's role grants.
        const isRefused = !viewer.mayAnswer && (project !== "" || viewer.name === "viewer's key");
        expect([viewer.name, status]).toEqual([viewer.name, isRefused ? refused : 200]);
      }
    },
  );

  it("is among what surrounds a page as in the lists: its question for those who answer, its chat for its owner", async () => {
    for (const viewer of viewers.filter(({ isKey }) => !isKey)) {
      const path = at("/api/sidebar?project_id=:project");
      const { body } = await service.call<{ tree: object; approvals: object }>("GET", path, viewer);
      const { name, isOwner, mayAnswer } = viewer;
      expect([name, has(body.tree, chatId), has(body.approvals, approvalId)]).toEqual([
        name,
        isOwner,
        mayAnswer,
      ]);
    }
  });

  it("is not listed for a key of its owner that is for another project", async () => {
    const other = await service.newProject(team.owner.token);
    const { key } = await service.newKey(team.owner.token, other.id);
    const { status, body } = await service.call("GET", "/api/chat/agent/approvals", { token: key });
    expect([status, body]).toEqual([200, []]);
  });
});

it("sockets and streams that were open before show all of the task to its owner, and nothing of it to others", async () => {
  const { status } = await service.call("POST", "/api/chat/agent/approval", {
    token: team.owner.token,
    json: { approval_id: approvalId, response: "allow_once" },
  });
  expect(status).toBe(200);
  for (const { name } of viewers.filter(({ isOwner }) => isOwner)) {
    for (const socket of sockets.get(name) ?? []) await isIn(socket, `"done"`);
    await vi.waitFor(() =>
      expect(
        followers
          .get(name)
          ?.of(taskId)
          .map(({ type }) => type),
      ).toContain("done"),
    );
  }
  // The events of a task are handed to all who are shown it in one turn: nothing is still to come.
  for (const { name, isOwner } of viewers) {
    for (const socket of sockets.get(name) ?? []) {
      expect([name, shows(sent(socket)), sent(socket).includes(taskId)]).toEqual([name, isOwner, isOwner]);
    }
    const followed = followers.get(name)?.text() ?? "";
    expect([name, shows(followed)]).toEqual([name, isOwner]);
  }
});

describe("a task that is over", () => {
  it("is shown to its owner alone when a socket names it: in the address, in a frame, as the first frame", async () => {
    for (const viewer of viewers.filter(({ name }) => !name.startsWith("stranger"))) {
      const named = await chatSocket(viewer, { task_id: taskId, last_event_id: "0" });
      const later = await chatSocket(viewer);
      later.send({ type: "resume", task_id: taskId, last_event_id: 0 });
      const first = await openSocket(service.url, `/api/chat/ws/${viewer.token}`);
      first.send({ type: "resume", task_id: taskId, last_event_id: 0, project_id: projectId });
      for (const socket of [named, later, first]) {
        await isIn(socket, viewer.isOwner ? `"done"` : "Task not found");
        expect([viewer.name, shows(sent(socket))]).toEqual([viewer.name, viewer.isOwner]);
        socket.close();
      }
    }
  });

  it("is not shown to others who come back with its id to the stream of the project", async () => {
    for (const viewer of viewers.filter(({ name }) => !name.startsWith("stranger"))) {
      const headers = { authorization: `Bearer ${viewer.token}` };
      const lastId = `${taskId}:0`;
      const follower = await followProject(service.url, projectId, headers, { lastId });
      const answered = viewer.isOwner ? '"done"' : "Task not found";
      await vi.waitFor(() => expect(follower.text()).toContain(answered));
      expect([viewer.name, shows(follower.text())]).toEqual([viewer.name, viewer.isOwner]);
      follower.leave();
    }
  });

  it("has a chat beside which no other person opens a socket", async () => {
    for (const { name, token } of viewers.filter(({ isOwner }) => !isOwner)) {
      const socket = await openSocket(service.url, `/ws/${chatId}?token=${token}`);
      expect([name, (await socket.closed).code]).toEqual([name, 4404]);
    }
    const socket = await openSocket(service.url, `/ws/${chatId}?token=${team.owner.token}`);
    socket.send({ type: "ping" });
    await socket.next("pong");
    socket.close();
  });
});
