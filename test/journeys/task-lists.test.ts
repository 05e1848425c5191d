import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
const client = await newTaskClient(service);
const elsewhere = await newTaskClient(service, { account: client.account, boundKey: true });
const stranger = await newTaskClient(service);
await stranger.start("Somebody else's");
const forever = script({ text: "I am thinking about it", chunks: 10, delay_ms: 60_000 });
const completed = await client.start("Hello");
await client.end(completed.task_id);
const failed = await client.start(script({ error: { status: 400 } }));
await client.end(failed.task_id);
const cancelled = await client.start(forever);
await client.cancel(cancelled.task_id);
await client.end(cancelled.task_id);
const between = new Date().toISOString();
const running = await client.start(forever);
await client.event(running.task_id, "text_delta");
const queued = await client.start("Waits", { chat_id: running.chat_id });
const other = await elsewhere.start("Hello from elsewhere");
await elsewhere.end(other.task_id);
/** Oldest first: completed, failed, cancelled, running, queued behind it; the last one in another project. */
const made: string[] = [completed, failed, cancelled, running, queued, other].map(
  ({ task_id: taskId }) => taskId,
);
const list = (query = "") =>
  service.call<api.TaskList>("GET", `/api/v1/agents/tasks${query}`, { token: client.key });
const idsIn = async (query: string) => (await list(query)).body.items.map(({ task_id: taskId }) => taskId);
/** Of the tasks made, newest first. */
const newestFirst = (...indexes: number[]) => indexes.toReversed().map((index) => made[index]);

describe("the list of tasks", () => {
  it("has the caller's tasks only, newest first", async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body.items.map(({ task_id: taskId }) => taskId)).toEqual(newestFirst(0, 1, 2, 3, 4, 5));
    expect(body).toMatchObject({ total: 6, page: 1, limit: 50, total_pages: 1 });
    expect(body.items.at(-1)).toEqual({
      task_id: made[0],
      status: "completed",
      type: "agent_execution",
      created_at: expect.any(String),
      started_at: expect.any(String),
      completed_at: expect.any(String),
      project_id: client.projectId,
      chat_id: expect.any(String),
      origin: "api",
      message_preview: "Hello",
      error: null,
    });
    expect(body.items.at(-2)?.error).toContain("400");
  });

  it("is narrowed to a status, to active ones, to a project, to a time", async () => {
    for (const [query, ...indexes] of [
      ["?status=completed", 0, 5],
      ["?status=failed", 1],
      ["?status=queued", 4],
      ["?active_only=true", 3, 4],
      [`?project_id=${elsewhere.projectId}`, 5],
      [`?since=${between}`, 3, 4, 5],
    ] as const) {
      expect([query, await idsIn(query)]).toEqual([query, newestFirst(...indexes)]);
    }
  });

  it("comes in pages that add up to the whole", async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => list(`?limit=2&page=${page}`)));
    expect(pages.flatMap(({ body }) => body.items.map((item) => item.task_id))).toEqual(
      newestFirst(0, 1, 2, 3, 4, 5),
    );
    expect(pages[1]?.body).toMatchObject({ total: 6, page: 2, limit: 2, total_pages: 3 });
  });

  it("refuses what it does not know, with a sentence", async () => {
    for (const query of ["status=done", "limit=201", "page=0", "since=yesterday", "active_only=maybe"]) {
      const { status, body } = await list(`?${query}`);
      expect([query, status]).toEqual([query, query.startsWith("status") ? 400 : 422]);
      expect(body).toEqual({ detail: expect.any(String) });
    }
  });
});

describe("the steps of a task", () => {
  interface Steps extends Omit<api.TaskList, "items"> {
    items: { step_index: number; step_data: Record<string, unknown> }[];
  }
  const steps = (taskId: string, query = "") =>
    service.call<Steps>("GET", `/api/v1/agents/tasks/${taskId}/steps${query}`, { token: client.key });

  it("are its turns, oldest first, in pages", async () => {
    const { task_id: taskId } = await client.start(
      script(
        { text: "First I look.", tools: [call("bash_exec", { command: "echo looked" })] },
        {
          tools: [call("write_file", { path: "a.txt", content: "a" }), call("read_file", { path: "a.txt" })],
        },
        { text: "That is all." },
      ),
    );
    await client.end(taskId);
    const { body } = await steps(taskId);
    expect(body).toMatchObject({ total: 3, page: 1, limit: 100, total_pages: 1 });
    expect(body.items).toMatchObject([
      {
        step_index: 1,
        step_data: {
          iteration: 1,
          thought: "First I look.",
          tool_calls: [
            {
              name: "bash_exec",
              parameters: { command: "echo looked" },
              result: { success: true, stdout: "looked\n" },
            },
          ],
          response_text: "First I look.",
          is_complete: false,
        },
      },
      { step_index: 2, step_data: { tool_calls: [{ name: "write_file" }, { name: "read_file" }] } },
      {
        step_index: 3,
        step_data: { thought: null, tool_calls: [], response_text: "That is all.", is_complete: true },
      },
    ]);
    const second = await steps(taskId, "?limit=1&page=2");
    expect(second.body.items.map((item) => item.step_index)).toEqual([2]);
  });
});

const asked = (path: string) => service.call<api.TaskList>("GET", path, { token: client.account.token });

describe("a person who is signed in", () => {
  it("lists the tasks that their keys started, as the keys do", async () => {
    for (const query of ["", "?limit=2&page=2&status=failed", `?project_id=${elsewhere.projectId}`]) {
      const { status, body } = await asked(`/api/chat/agent/tasks${query}`);
      expect([status, body]).toEqual([200, (await list(query)).body]);
    }
  });

  it("lists the task of a chat as well, and reads its status and steps as a key does", async () => {
    const { token } = client.account;
    const json = { project_id: client.projectId, message: script({ text: "From a chat" }) };
    const path = "/api/chat/agent";
    const { body: run } = await service.call<{ task_id: string; chat_id: string }>("POST", path, {
      token,
      json,
    });
    const chat = await asked(`/api/chat/agent/tasks?chat_id=${run.chat_id}`);
    expect(chat.body).toMatchObject({ items: [{ task_id: run.task_id, origin: "browser" }], total: 1 });
    const browser = await asked("/api/chat/agent/tasks?origin=browser");
    expect(browser.body).toMatchObject({ items: [{ task_id: run.task_id }], total: 1 });
    const byKey = { token: client.key };
    for (const [own, ofKeys] of [
      [`/api/chat/agent/status/${run.task_id}`, `/api/external/agent/status/${run.task_id}`],
      [`/api/chat/agent/steps/${run.task_id}?limit=1`, `/api/v1/agents/tasks/${run.task_id}/steps?limit=1`],
    ] as const) {
      const { status, body } = await asked(own);
      expect([status, body]).toEqual([200, (await service.call("GET", ofKeys, byKey)).body]);
    }
  });
});
