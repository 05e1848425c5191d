import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { sweepSessions } from "#src/domain/workspaces/shells/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { databaseOf } from "#test/support/database.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { newRunningSite, type Site } from "#test/support/site.ts";
import { call, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

let service: TestService;
let client: TaskClient;
let site: Site;
beforeAll(async () => {
  service = await startService({ SHELL_SESSIONS_PER_CHAT: "2" });
  const account = await service.signUp();
  site = await newRunningSite(service, account.token, { "hello.txt": "hello from a file\n" });
  client = await newTaskClient(service, { account, projectId: site.id });
});
afterAll(async () => {
  await service.close();
});

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
  call("shell_exec", { session_id: id, command, wait_seconds: 1 });

const sessionsOf = async () => {
  const { body } = await service.call<{ sessions: { session_id: string }[] }>(
    "GET",
    `/api/shell/sessions?project_id=${site.id}`,
    { token: client.account.token },
  );
  return body.sessions.map(({ session_id }) => session_id);
};

describe("the agent's shells", () => {
  it("stay as they are from turn to turn and from task to task, for the user to see", async () => {
    const opened = await agentCalls([call("shell_open", {})]);
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
      [call("shell_close", { session_id: id }), typing(id, "pwd")],
      opened.chatId,
    );
    expect(closed.results).toMatchObject([
      { success: true },
      { success: false, error: "The session has ended" },
    ]);
    expect(await sessionsOf()).not.toContain(id);
  });

  it("are so many in one chat, and more in another", async () => {
    const { chatId, results } = await agentCalls([1, 2, 3].map(() => call("shell_open", {})));
    expect(results).toMatchObject([
      { success: true },
      { success: true },
      { success: false, error: "Too many shell sessions are open: close one" },
    ]);
    const other = await agentCalls([call("shell_open", {})]);
    expect(other.results).toMatchObject([{ success: true }]);
    const open = [...results, ...other.results].filter(({ success }) => success);
    await agentCalls(
      open.map(({ session_id }) => call("shell_close", { session_id })),
      chatId,
    );
    expect(await sessionsOf()).toEqual([]);
  });

  it("of another person or another project are not found", async () => {
    const { account } = client;
    const { results } = await agentCalls([call("shell_open", {})]);
    const id = results[0]?.session_id ?? "";
    const elsewhere = await newTaskClient(service, { account });
    const stranger = await newTaskClient(service);
    for (const other of [elsewhere, stranger]) {
      const tried = [typing(id, "pwd"), call("shell_close", { session_id: id })];
      const { results: refused } = await agentCalls(tried, undefined, other);
      expect(refused).toMatchObject(tried.map(() => ({ success: false, error: "Shell session not found" })));
    }
    expect(await sessionsOf()).toContain(id);
    await agentCalls([call("shell_close", { session_id: id })]);
  });

  it("end when their chat is archived or deleted", async () => {
    const [kept, archived, deleted] = await Promise.all(
      [1, 2, 3].map(() => agentCalls([call("shell_open", {})])),
    );
    const db = databaseOf(service);
    await db.execute(sql`UPDATE chats SET status = 'archived' WHERE id = ${archived?.chatId}::uuid`);
    await db.execute(sql`DELETE FROM chats WHERE id = ${deleted?.chatId}::uuid`);
    const closed: string[] = [];
    const runtime = { closeShell: async (id: string) => void closed.push(id) };
    await sweepSessions({
      db,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the sweep asks a runtime for nothing else
      workspaces: { runtime: () => runtime as unknown as ProjectRuntime },
      log: createLog(),
      config: { SHELL_IDLE_MINUTES: 30, SHELL_MAX_HOURS: 8 },
    });
    const ids = [archived, deleted].map((each) => each?.results[0]?.session_id);
    // The service's own sweep may have been there first.
    expect(ids).toEqual(expect.arrayContaining(closed));
    await vi.waitFor(async () => expect(await sessionsOf()).toEqual([kept?.results[0]?.session_id]));
  });

  it("are not opened in a project that does not run, and end when it stops", async () => {
    const before = await sessionsOf();
    expect(before).not.toEqual([]);
    await site.stop();
    expect(await sessionsOf()).toEqual([]);
    const { results } = await agentCalls([call("shell_open", {})]);
    expect(results).toMatchObject([{ success: false, error: "The project is not running: start it first." }]);
  });
});
