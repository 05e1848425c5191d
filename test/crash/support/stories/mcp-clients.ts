import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { connectMcp, useTool } from "#test/support/mcp-client.ts";
import { call, script } from "#test/support/task-client.ts";
import type { Story, World } from "./story.ts";

const TASKS_PER_KILL = 2;
/** Tasks begin within this time, before and after a kill. */
const SPREAD_MS = 2_000;

/** An agent of another program that starts tasks over MCP and follows them, with a new connection after every failure. */
export async function mcpClients({ api, random }: World): Promise<Story> {
  const { token } = await api.signUp("mcp");
  const { id: project_id } = await api.newProject(token);
  const { key } = await api.newKey(token, project_id);

  /** A call that is repeated however often it, or its answer, is lost. */
  async function persist(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    for (;;) {
      try {
        const client = await connectMcp({ url: api.url, key });
        const result = await useTool(client, name, args);
        // A part of the service may not be there yet, which is a refusal; a task has its own `error`.
        if (result["status"] !== undefined || result["error"] === undefined) return result;
      } catch {
        // The connection was lost, or refused.
      }
      await pause(200);
    }
  }

  async function work(name: string): Promise<{ status: unknown; content: unknown; error: unknown }> {
    const writes = {
      tools: [call("write_file", { path: name, content: name })],
      first_delay_ms: random.whole(0, 1_500),
    };
    const wish = { project_id, message: script(writes, { text: name }), idempotency_key: name };
    let { task_id, status, error } = await persist("start_task", wish);
    while (status === "queued" || status === "running") {
      ({ status, error } = await persist("get_task", { task_id, wait_seconds: 5 }));
    }
    const { content } = await persist("read_project_file", { project_id, path: name });
    return { status, content, error };
  }

  const working = new Map<string, ReturnType<typeof work>>();
  return {
    beforeKill() {
      for (let index = 0; index < TASKS_PER_KILL; index += 1) {
        const name = `task-${working.size}.txt`;
        const each = pause(random.whole(0, SPREAD_MS)).then(() => work(name));
        each.catch(() => {}); // thrown by `verify`
        working.set(name, each);
      }
    },
    async verify() {
      for (const [name, each] of working) {
        expect(await each).toEqual({ status: "completed", content: name, error: null });
      }
      expect(await persist("list_tasks", {})).toMatchObject({ total: working.size });
    },
  };
}
