import { and, eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { tasks, teamMemberships } from "#src/db/schema/index.ts";
import { frameOf, newChatClient, openStream, type ChatClient } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { openSocket } from "#test/support/socket.ts";
import { call, script, UNTIL_GO } from "#test/support/task-client.ts";
import { newTeamClient, type TeamClient } from "#test/support/team-client.ts";

const service = await otherSharedService("eager");

interface Place {
  team: TeamClient;
  projectId: string;
  editor: ChatClient;
}

/** A project of a team's owner, and an editor who talks to the agent there. */
async function newPlace(): Promise<Place> {
  const team = await newTeamClient(service);
  const projectId = (await service.newProject(team.owner.token)).id;
  const editor = await newChatClient(service, { account: await team.join("editor"), projectId });
  return { team, projectId, editor };
}

const inProject = ({ team, projectId }: Place, method: string, rest: string, json?: unknown) =>
  service.call(method, `/api/projects/${projectId}${rest}`, { token: team.owner.token, json });

/** Unless it is stopped, it goes on for longer than a test waits. */
const AT_WORK = script(
  { tools: [call("bash_exec", { command: "sleep 600", timeout: 600 })] },
  { text: "late" },
);

const NO_ACCESS = expect.stringContaining("no longer has access to the project");

/** Every other way to lose access is proven in test/attacks/ways-in.test.ts: what they have the queue do is the same. */
describe.concurrent("the agent of a person whose role in the team changes", () => {
  it("ends when the person is taken out", async () => {
    const { team, editor } = await newPlace();
    const stream = await editor.send(AT_WORK, { edit_mode: "allow" });
    await frameOf(stream, "tool_start");
    expect((await team.asOwner("DELETE", `/members/${editor.account.id}`)).status).toBe(204);
    expect(await endOf(stream.taskId)).toMatchObject({
      status: "failed",
      completionReason: "access_lost",
      error: NO_ACCESS,
    });
  });

  it("goes on where that person keeps a role in the project", async () => {
    const place = await newPlace();
    const { editor } = place;
    const waiting = script({ tools: [call("bash_exec", { command: UNTIL_GO })] }, { text: "done" });
    const stream = await editor.send(waiting, { edit_mode: "allow" });
    await frameOf(stream, "tool_start");
    const role = { user_id: editor.account.id, role: "admin" };
    expect((await inProject(place, "POST", "/members", role)).status).toBe(201);
    await place.team.asOwner("PATCH", `/members/${editor.account.id}`, { role: "viewer" });
    await inProject(place, "PUT", "/files/go.txt", { content: "" });
    expect(await endOf(stream.taskId)).toMatchObject({ status: "completed", error: null });
  });
});

it.concurrent("an agent that was not told of the lost access checks by itself before each turn, and a task that waits for its chat before the first one", async () => {
  const place = await newPlace();
  const { editor, projectId } = place;
  const working = await editor.send(
    script(
      { tools: [call("bash_exec", { command: UNTIL_GO })] },
      { tools: [call("write_file", { file_path: "after.txt", content: "after" })] },
      { text: "done" },
    ),
    { edit_mode: "allow" },
  );
  const waiting = await editor.send("Hello", { chat_id: working.chatId });
  await frameOf(working, "tool_start");
  await forgetMember(editor.account.id, place.team.team.id);
  await inProject(place, "PUT", "/files/go.txt", { content: "" });
  const [first, second] = [await endOf(working.taskId), await endOf(waiting.taskId)];
  expect(first).toMatchObject({ status: "failed", completionReason: "access_lost", iterations: 1 });
  expect(second).toMatchObject({ status: "failed", completionReason: "access_lost", iterations: 0 });
  expect(first?.error).toEqual(NO_ACCESS);
  const file = `/api/projects/${projectId}/files/after.txt`;
  expect((await service.call("GET", file, { token: place.team.owner.token })).status).toBe(404);
});

describe.concurrent("a person who reads along", () => {
  const SLOWLY = script({ text: "word ".repeat(600), chunks: 600, delay_ms: 500 });

  it("is sent nothing more on a stream once the session is over, and the agent goes on", async () => {
    const editor = await newChatClient(service);
    const { token } = editor.account;
    const posted = await editor.send(SLOWLY);
    const path = `/api/chat/agent/events/${posted.taskId}`;
    const events = await openStream(service, "GET", path, { token });
    const plain = await openStream(service, "POST", "/api/chat/stream", {
      token,
      json: { project_id: editor.projectId, message: SLOWLY },
    });
    expect((await service.call("POST", "/api/auth/logout", { token })).status).toBeLessThan(300);
    const told = "The session has ended: sign in again";
    for (const rich of [posted, events]) {
      const frames = await Array.fromAsync(rich.frames());
      expect(frames.at(-1)).toMatchObject({ type: "error", content: told, data: { message: told } });
    }
    const simple = await Array.fromAsync(plain.frames());
    expect(simple.at(-1)).toEqual({ type: "error", error: told, id: undefined });
    expect((await taskOf(posted.taskId))?.status).toBe("running");
  });

  it("and writes on a socket is told and let go with the first message", async () => {
    const { team, projectId, editor } = await newPlace();
    const { token, id } = editor.account;
    const socket = await openSocket(service.url, `/ws/chat/${projectId}?token=${token}`);
    socket.send({ type: "ping" });
    await socket.next("pong");
    await forgetMember(id, team.team.id);
    socket.send({ message: "Hello" });
    expect(await socket.next("error")).toMatchObject({ content: "Project not found" });
    expect(await socket.closed).toEqual({ code: 4404, reason: "not_found" });
  });
});

/** Removes the membership without the notices that the request would have sent. */
function forgetMember(userId: string, teamId: string) {
  const membership = and(eq(teamMemberships.userId, userId), eq(teamMemberships.teamId, teamId));
  return databaseOf(service).delete(teamMemberships).where(membership);
}

async function taskOf(id: string) {
  return (await databaseOf(service).select().from(tasks).where(eq(tasks.id, id)))[0];
}

/** The row of a task that is over. */
function endOf(id: string) {
  return vi.waitFor(
    async () => {
      const task = await taskOf(id);
      if (!task?.completedAt) throw new Error(`The task is ${task?.status}`);
      return task;
    },
    { interval: 100 },
  );
}
