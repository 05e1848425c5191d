import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { sweepSessions } from "#src/domain/workspaces/shells/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { Account, ApiRequest } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { newRunningSite, type Site } from "#test/support/site.ts";
import { openSocket } from "#test/support/socket.ts";
import { call as tool, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

let service: TestService;
let owner: Account;
let site: Site;
beforeAll(async () => {
  service = await startService({
    SHELL_SESSIONS_PER_USER: "3",
    SHELL_SESSIONS_PER_PROJECT: "4",
    SHELL_SESSIONS_PER_CHAT: "2",
  });
  owner = await service.signUp("owner");
  site = await newRunningSite(service, owner.token, { "hello.txt": "hello from a file\n" });
});
afterAll(async () => {
  await service.close();
});

interface Output {
  output: string;
  bytes: number;
  is_eof: boolean;
}

const call = <T = unknown>(method: string, path: string, request: ApiRequest = {}) =>
  service.call<T>(method, `/api/shell/sessions${path}`, { token: owner.token, ...request });

async function open(json: Record<string, unknown> = {}, token = owner.token): Promise<string> {
  const request = { token, json: { project_id: site.id, ...json } };
  const { status, body, text } = await call<{ session_id: string }>("POST", "", request);
  if (status !== 200) throw new Error(text);
  return body.session_id;
}

/** All that a session puts out until it has said this. */
async function untilSaid(id: string, words: string): Promise<string> {
  let said = "";
  await vi.waitFor(
    async () => {
      const { body } = await call<Output>("GET", `/${id}/output`);
      said += Buffer.from(body.output, "base64").toString();
      if (!said.includes(words)) throw new Error(`So far: ${said}`);
    },
    { interval: 50 },
  );
  return said;
}

/** Makes a time of a session so many minutes earlier. */
const age = (id: string, column: string, minutes: number) =>
  databaseOf(service).execute(
    sql`UPDATE shell_sessions SET ${sql.identifier(column)} = now() - make_interval(mins => ${minutes}::int)
    WHERE id = ${id}::uuid`,
  );

/** Sweeps as the service does, and returns the sessions that were closed. */
async function sweep(): Promise<string[]> {
  const closed: string[] = [];
  const runtime = { closeShell: async (id: string) => void closed.push(id) };
  await sweepSessions({
    db: databaseOf(service),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the sweep asks a runtime for nothing else
    workspaces: { runtime: () => runtime as unknown as ProjectRuntime },
    log: createLog(),
    config: { SHELL_IDLE_MINUTES: 30, SHELL_MAX_HOURS: 8 },
  });
  return closed;
}

describe("a shell session", () => {
  it("runs what is typed, keeps where it is, and gives each byte once", async () => {
    const id = await open();
    await call("POST", `/${id}/write`, { json: { data: "mkdir -p deep && cd deep && pwd\n" } });
    await untilSaid(id, "/app/deep");
    await call("POST", `/${id}/write`, { json: { data: "cat ../hello.txt\n" } });
    expect(await untilSaid(id, "hello from a file")).not.toContain("mkdir");
    const again = await call<Output>("GET", `/${id}/output`);
    expect(Buffer.from(again.body.output, "base64").toString()).not.toContain("hello from a file");
    expect((await call("GET", `/${id}`)).body).toMatchObject({
      session_id: id,
      project_id: site.id,
      command: "/bin/bash",
      working_dir: "/app",
      status: "active",
      bytes_written: 49,
      bytes_read: expect.any(Number),
    });
    expect(await call("DELETE", `/${id}`)).toMatchObject({
      status: 200,
      body: { message: "Session closed" },
    });
    expect(await call("DELETE", `/${id}`)).toMatchObject({ status: 200 });
    expect(await call("POST", `/${id}/write`, { json: { data: "ls\n" } })).toMatchObject({ status: 409 });
  });

  it("can be read after its program has ended, as clients that run one command do", async () => {
    const id = await open();
    await call("POST", `/${id}/write`, { json: { data: "echo $((6 * 7)) && exit 3\n" } });
    await untilSaid(id, "42");
    await vi.waitFor(async () => {
      expect((await call<Output>("GET", `/${id}/output`)).body.is_eof).toBe(true);
    });
    expect((await call("GET", `/${id}`)).body).toMatchObject({ status: "closed", exit_code: 3 });
    expect((await call<{ sessions: unknown[] }>("GET", "")).body.sessions).toEqual([]);
  });

  it("gives every byte to one of two readers", async () => {
    const id = await open();
    await call("POST", `/${id}/write`, { json: { data: "seq 1 2000; echo end-$((1 + 1))\n" } });
    let said = "";
    await vi.waitFor(
      async () => {
        const both = await Promise.all([1, 2].map(() => call<Output>("GET", `/${id}/output`)));
        const parts = both.map(({ body }) => body.output).filter((part) => part !== "" && part !== undefined);
        said += parts.map((part) => Buffer.from(part, "base64").toString()).join("");
        expect(said).toContain("end-2\r\n");
      },
      { interval: 50 },
    );
    expect(said.match(/^1234\r?$/gmu)).toHaveLength(1);
    await call("DELETE", `/${id}`);
  });

  it("starts in a container's directory, and ends with its project", async () => {
    const own = await newRunningSite(service, owner.token, { "index.html": "x" });
    const json = { name: "api", project_id: own.id, directory: "api" };
    const { token } = owner;
    await service.call("PUT", `/api/projects/${own.id}/files/api/a.txt`, { token, json: { content: "a" } });
    await service.call("POST", `/api/projects/${own.id}/containers`, { token, json });
    const id = await open({ project_id: own.slug, container_name: "api" });
    await call("POST", `/${id}/write`, { json: { data: "pwd\n" } });
    await untilSaid(id, "/app/api");
    await own.stop();
    expect((await call("GET", `/${id}`)).body).toMatchObject({ status: "closed" });
    const refused = await call("POST", "", { json: { project_id: own.id } });
    expect(refused).toMatchObject({
      status: 400,
      body: { detail: "The project is not running: start it first" },
    });
  });

  it("is not found by another person, and is limited per person, also for requests at once", async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => open().catch(() => undefined)));
    expect(ids.filter((id) => id !== undefined)).toHaveLength(3);
    const refused = await call("POST", "", { json: { project_id: site.id } });
    expect(refused).toMatchObject({
      status: 429,
      body: { detail: "Too many shell sessions are open: close one" },
    });
    expect(refused.headers.get("retry-after")).toBe("60");
    const query = new URLSearchParams({ token: owner.token, target: "ephemeral" });
    const terminal = await openSocket(service.url, `/api/terminal/${site.id}/connect?${query}`);
    expect(await terminal.next("error")).toMatchObject({ message: expect.stringContaining("Too many") });
    const id = ids.find((each) => each !== undefined) ?? "";
    const stranger = await service.signUp("stranger");
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/output"],
      ["DELETE", ""],
    ] as const) {
      expect(await call(method, `/${id}${path}`, { token: stranger.token })).toMatchObject({ status: 404 });
    }
    expect(
      (await call<{ sessions: unknown[] }>("GET", `?project_id=${site.slug}`)).body.sessions,
    ).toHaveLength(3);
    for (const each of ids) if (each !== undefined) await call("DELETE", `/${each}`);
  });

  it("is closed when it is unused for too long, or too old", async () => {
    const [unused, old, young] = [await open(), await open(), await open()];
    await Promise.all([age(unused, "last_activity_at", 31), age(old, "created_at", 8 * 60 + 1)]);
    const closed = await sweep();
    expect(closed.toSorted()).toEqual([unused, old].toSorted());
    const { body } = await call<{ sessions: { session_id: string }[] }>("GET", "");
    expect(body.sessions.map((each) => each.session_id)).toEqual([young]);
  });
});

let client: TaskClient;
/** The project in which the agent works. */
let ownSite: Site;

const Result = z.looseObject({
  success: z.boolean(),
  session_id: z.string().default(""),
  output: z.string().default(""),
});

/** Have the agent make these calls, and answer their results; with `chatId` in a chat that is there already. */
async function agentCalls(calls: readonly object[], chatId?: string, by = client) {
  const turns = [...calls.map((each) => ({ tools: [each] })), { text: "Done." }];
  const { task_id, chat_id } = await by.start(
    script(...turns),
    chatId === undefined ? {} : { chat_id: chatId },
  );
  const events = await by.end(task_id);
  const results = events
    .filter(({ type }) => type === "tool_result")
    .map(({ body }) => Result.parse(body["result"]));
  return { chatId: chat_id, results };
}

const typing = (id: string, command: string) =>
  tool("shell_exec", { session_id: id, command, wait_seconds: 1 });

const sessionsOf = async () => {
  const { body } = await service.call<{ sessions: { session_id: string }[] }>(
    "GET",
    `/api/shell/sessions?project_id=${ownSite.id}`,
    { token: client.account.token },
  );
  return body.sessions.map(({ session_id }) => session_id);
};

describe("the agent's shells", () => {
  beforeAll(async () => {
    const account = await service.signUp();
    ownSite = await newRunningSite(service, account.token, { "hello.txt": "hello from a file\n" });
    client = await newTaskClient(service, { account, projectId: ownSite.id });
  });

  it("stay as they are from turn to turn and from task to task, for the user to see", async () => {
    const opened = await agentCalls([tool("shell_open", {})]);
    const id = opened.results[0]?.session_id ?? "";
    expect(await sessionsOf()).toContain(id);
    const used = await agentCalls([typing(id, "mkdir -p deep && cd deep"), typing(id, "pwd")], opened.chatId);
    expect(used.results.map(({ success }) => success)).toEqual([true, true]);
    let output = used.results[1]?.output ?? "";
    await vi.waitFor(async () => {
      // What a busy shell wrote only after the wait.
      if (!output.includes("/app/deep"))
        output += (await agentCalls([typing(id, "pwd")], opened.chatId)).results[0]?.output;
      expect(output).toContain("/app/deep");
    });
    const closed = await agentCalls(
      [tool("shell_close", { session_id: id }), typing(id, "pwd")],
      opened.chatId,
    );
    expect(closed.results).toMatchObject([
      { success: true },
      { success: false, error: "The session has ended" },
    ]);
    expect(await sessionsOf()).not.toContain(id);
  });

  it("are so many in one chat, and more in another", async () => {
    const { chatId, results } = await agentCalls([1, 2, 3].map(() => tool("shell_open", {})));
    expect(results).toMatchObject([
      { success: true },
      { success: true },
      { success: false, error: "Too many shell sessions are open: close one" },
    ]);
    const other = await agentCalls([tool("shell_open", {})]);
    expect(other.results).toMatchObject([{ success: true }]);
    const opened = [...results, ...other.results].filter(({ success }) => success);
    await agentCalls(
      opened.map(({ session_id }) => tool("shell_close", { session_id })),
      chatId,
    );
    expect(await sessionsOf()).toEqual([]);
  });

  it("of another person or another project are not found", async () => {
    const { account } = client;
    const { results } = await agentCalls([tool("shell_open", {})]);
    const id = results[0]?.session_id ?? "";
    const elsewhere = await newTaskClient(service, { account });
    const stranger = await newTaskClient(service);
    for (const other of [elsewhere, stranger]) {
      const tried = [typing(id, "pwd"), tool("shell_close", { session_id: id })];
      const { results: refused } = await agentCalls(tried, undefined, other);
      expect(refused).toMatchObject(tried.map(() => ({ success: false, error: "Shell session not found" })));
    }
    expect(await sessionsOf()).toContain(id);
    await agentCalls([tool("shell_close", { session_id: id })]);
  });

  it("end when their chat is archived or deleted", async () => {
    const [kept, archived, deleted] = await Promise.all(
      [1, 2, 3].map(() => agentCalls([tool("shell_open", {})])),
    );
    const db = databaseOf(service);
    await db.execute(sql`UPDATE chats SET status = 'archived' WHERE id = ${archived?.chatId}::uuid`);
    await db.execute(sql`DELETE FROM chats WHERE id = ${deleted?.chatId}::uuid`);
    const closed = await sweep();
    const ids = [archived, deleted].map((each) => each?.results[0]?.session_id);
    // The service's own sweep may have been there first.
    expect(ids).toEqual(expect.arrayContaining(closed));
    await vi.waitFor(async () => expect(await sessionsOf()).toEqual([kept?.results[0]?.session_id]));
  });

  it("are not opened in a project that does not run, and end when it stops", async () => {
    const before = await sessionsOf();
    expect(before).not.toEqual([]);
    await ownSite.stop();
    expect(await sessionsOf()).toEqual([]);
    const { results } = await agentCalls([tool("shell_open", {})]);
    expect(results).toMatchObject([{ success: false, error: "The project is not running: start it first." }]);
  });
});
