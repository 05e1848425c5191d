import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { chats } from "#src/db/schema/index.ts";
import { insertBackgroundTask } from "#src/domain/workspaces/background-tasks/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Account } from "#test/support/api-client.ts";
import { signedIn } from "#test/support/browser.ts";
import { databaseOf } from "#test/support/database.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { newRunningSite } from "#test/support/site.ts";
import { newTeamClient } from "#test/support/team-client.ts";
import { openSocket, type TestSocket } from "#test/support/socket.ts";

const service = await otherSharedService("eager");
const team = await newTeamClient(service);
const owner = team.owner;
const site = await newRunningSite(service, owner.token, { "hello.txt": "hello from a file\n" });
const chat = await newChat(owner);

async function newChat(person: Account): Promise<string> {
  const id = newId();
  await databaseOf(service)
    .insert(chats)
    .values({ id, userId: person.id, projectId: site.id, origin: "browser" });
  return id;
}

const connect = (path: string, token = owner.token) =>
  openSocket(service.url, `${path}?${new URLSearchParams({ token })}`);

describe("the socket beside a chat", () => {
  it("opens a terminal at the first input, and only then", async () => {
    const socket = await connect(`/ws/${chat}`);
    socket.send({ type: "ping" });
    await socket.next("pong");
    expect(socket.frames).toEqual([{ type: "pong" }]);
    socket.send({ type: "input", data: "cat hello.txt\n" });
    await socket.untilOutput("hello from a file");
    socket.send({ type: "input", data: "exit\n" });
    expect(await socket.next("error")).toEqual({ type: "error", message: "The shell has ended with 0" });
    socket.send({ type: "open_terminal" });
    await socket.next("ready");
    socket.close();
    await socket.closed;
  });

  it("is refused to strangers, as that of the logs, and without a token", async () => {
    const stranger = await connect(`/ws/${chat}`, (await service.signUp()).token);
    expect(await stranger.closed).toEqual({ code: 4404, reason: "not_found" });
    const nobody = await openSocket(service.url, `/ws/${chat}`);
    expect(await nobody.closed).toEqual({ code: 4401, reason: "auth_failed" });
    const logs = await connect(`/api/projects/${site.id}/logs/stream`, (await service.signUp()).token);
    expect(await logs.closed).toEqual({ code: 4404, reason: "not_found" });
  });
});

it("the log socket lists the containers, and shows the log of those alone", async () => {
  const socket = await connect(`/api/projects/${site.slug}/logs/stream`);
  const { data } = await socket.next("containers");
  expect(data).toEqual([{ id: expect.any(String), name: "web", status: "running", type: "base" }]);
  socket.send({ type: "switch_container", container_id: newId() });
  expect(await socket.next("error")).toEqual({ type: "error", message: "Container not found" });
  socket.send({ type: "ping" });
  await socket.next("pong");
  socket.send({ type: "input", data: "ls\n" });
  await socket.next("error");
  socket.close();
  await socket.closed;
});

const Task = z.looseObject({ id: z.string() });

/** The task that a socket shows when one of the person begins. No worker runs it, so that it is still open when the socket looks. */
async function taskShown(socket: TestSocket, userId: string): Promise<unknown> {
  const begun = {
    id: newId(),
    userId,
    projectId: site.id,
    type: "container_start",
    status: "queued",
  } as const;
  await insertBackgroundTask(databaseOf(service), begun);
  return vi.waitUntil(() =>
    socket.frames.map(({ task }) => Task.safeParse(task).data).find((task) => task?.id === begun.id),
  );
}

it("the task socket tells of tasks as they go on", async () => {
  const socket = await openSocket(service.url, "/api/tasks/ws");
  socket.send({ token: `Bearer ${owner.token}` });
  socket.send({ type: "ping" });
  await socket.next("pong");
  const task = await taskShown(socket, owner.id);
  expect(task).toMatchObject({ user_id: owner.id, type: "container_start", logs: expect.any(Array) });
  socket.close();
  await socket.closed;
});

it("the task socket needs no token from a page that is signed in, and no page of another site is", async () => {
  const { who } = await signedIn(service, owner);
  const cookie = who.cookie();
  const openBy = (origin: string) =>
    openSocket(service.url, "/api/tasks/ws", { headers: { origin, cookie } });
  const socket = await openBy(service.url);
  expect(await taskShown(socket, owner.id)).toMatchObject({ user_id: owner.id });
  socket.close();
  const foreign = await openBy("https://evil.example");
  foreign.send({ type: "ping" });
  expect(await foreign.closed).toMatchObject({ code: 1008 });
  expect(foreign.frames).toMatchObject([{ type: "error", message: expect.stringContaining("token") }]);
});

const execute = (json: Record<string, unknown>) =>
  service.call("POST", "/api/agent/execute", { token: owner.token, json: { project_id: site.id, ...json } });

it("commands are run, noted and counted", async () => {
  expect(await execute({ command: "cat hello.txt" })).toMatchObject({
    status: 200,
    body: {
      success: true,
      stdout: "hello from a file\n",
      exit_code: 0,
      risk_level: "safe",
      dry_run: false,
    },
  });
  expect(await execute({ command: "rm -rf x; exit 3", working_dir: "." })).toMatchObject({
    body: { success: false, exit_code: 3, risk_level: "high", message: "The command ended with 3" },
  });
  expect(await execute({ command: "touch made.txt", dry_run: true })).toMatchObject({
    body: { success: true, exit_code: null, risk_level: "moderate", dry_run: true },
  });
  const { token } = owner;
  const history = await service.call("GET", `/api/agent/history/${site.slug}`, { token });
  expect(history.body).toMatchObject({
    commands: [
      { command: "touch made.txt", dry_run: true },
      { command: "rm -rf x; exit 3", exit_code: 3 },
      { command: "cat hello.txt", success: true, working_dir: "" },
    ],
  });
  expect((await service.call("GET", "/api/agent/stats?days=1", { token })).body).toMatchObject({
    total_commands: 3,
    failed_commands: 1,
    by_risk_level: { safe: 1, moderate: 1, high: 1 },
  });
});

it("tells every person who has the project open that it is stopped", async () => {
  const sockets = await Promise.all([
    connect(`/ws/${chat}`),
    connect(`/ws/${chat}`),
    connect(`/api/projects/${site.id}/logs/stream`),
  ]);
  await site.stop();
  for (const socket of sockets) {
    expect(await socket.next("status_update")).toMatchObject({ payload: { type: expect.any(String) } });
    socket.close();
  }
});
