import type { api } from "@agent-workspace/client";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { ApiRequest } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newRunningSite, type Site } from "#test/support/site.ts";
import { call as tool, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const team = await newTeamClient(service);
const { owner } = team;
const site = await newRunningSite(service, owner.token, { "hello.txt": "hello from a file\n" });

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
      const { body } = await call<api.ReadShellOutputAnswer>("GET", `/${id}/output`);
      said += Buffer.from(body.output, "base64").toString();
      if (!said.includes(words)) throw new Error(`So far: ${said}`);
    },
    { interval: 50 },
  );
  return said;
}

describe("a shell session", () => {
  it("runs what is typed, keeps where it is, and gives each byte once", async () => {
    const id = await open();
    await call("POST", `/${id}/write`, { json: { data: "mkdir -p deep && cd deep && pwd\n" } });
    await untilSaid(id, "/app/deep");
    await call("POST", `/${id}/write`, { json: { data: "cat ../hello.txt\n" } });
    expect(await untilSaid(id, "hello from a file")).not.toContain("mkdir");
    const again = await call<api.ReadShellOutputAnswer>("GET", `/${id}/output`);
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
      expect((await call<api.ReadShellOutputAnswer>("GET", `/${id}/output`)).body.is_eof).toBe(true);
    });
    expect((await call("GET", `/${id}`)).body).toMatchObject({ status: "closed", exit_code: 3 });
    expect((await call<{ sessions: unknown[] }>("GET", "")).body.sessions).toEqual([]);
  });

  it("is not found by another member of the team", async () => {
    const id = await open();
    const mate = await team.join("editor");
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/output"],
      ["DELETE", ""],
    ] as const) {
      expect(await call(method, `/${id}${path}`, { token: mate.token })).toMatchObject({ status: 404 });
    }
    const listed = await call<{ sessions: unknown[] }>("GET", `?project_id=${site.slug}`);
    expect(listed.body.sessions).toMatchObject([{ session_id: id }]);
    await call("DELETE", `/${id}`);
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

  it("of another project are not found", async () => {
    const { account } = client;
    const { results } = await agentCalls([tool("shell_open", {})]);
    const id = results[0]?.session_id ?? "";
    const elsewhere = await newTaskClient(service, { account });
    const tried = [typing(id, "pwd"), tool("shell_close", { session_id: id })];
    const { results: refused } = await agentCalls(tried, undefined, elsewhere);
    expect(refused).toMatchObject(tried.map(() => ({ success: false, error: "Shell session not found" })));
    expect(await sessionsOf()).toContain(id);
    await agentCalls([tool("shell_close", { session_id: id })]);
  });
});
