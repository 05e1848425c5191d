import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const call = (runtime: MemoryRuntime, args: unknown, chatId = "chat") =>
  runTool(toolCall("todos", args), toolContext({ runtime, chatId }));

describe("todos", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-05-01T10:00:00Z") });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("adds ids, dates and a priority, and counts the states", async () => {
    const runtime = new MemoryRuntime();
    const todos = [
      { content: "Read", status: "completed", priority: "high" },
      { content: "Write", status: "in_progress" },
    ];
    await call(runtime, { todos });
    const { result } = await runTool(toolCall("todo_read", {}), toolContext({ runtime, chatId: "chat" }));
    const created_at = "2026-05-01T10:00:00.000Z";
    expect(result).toMatchObject({
      todos: [
        { id: "1", content: "Read", status: "completed", priority: "high", created_at },
        { id: "2", content: "Write", status: "in_progress", priority: "medium", created_at },
      ],
      details: { total: 2, pending: 0, in_progress: 1, completed: 1 },
    });
  });

  it("changes nothing when the same list is written again later", async () => {
    const runtime = new MemoryRuntime();
    const todos = ["a", "a", "b"].map((content) => ({ content, status: "pending" }));
    const first = await call(runtime, { todos });
    vi.setSystemTime(new Date("2026-05-02T10:00:00Z"));
    expect(await call(runtime, { todos })).toEqual(first);
  });

  it("replaces the whole list and gives no id of it to a new task", async () => {
    const runtime = new MemoryRuntime();
    await call(runtime, {
      todos: [
        { content: "a", status: "pending" },
        { content: "b", status: "pending" },
      ],
    });
    vi.setSystemTime(new Date("2026-05-02T10:00:00Z"));
    const { result } = await call(runtime, {
      todos: [
        { id: "2", content: "b, reworded", status: "completed", created_at: "2026-05-01T10:00:00.000Z" },
        { content: "c", status: "pending" },
      ],
    });
    expect(result["todos"]).toMatchObject([
      { id: "2", content: "b, reworded", created_at: "2026-05-01T10:00:00.000Z" },
      { id: "3", content: "c", created_at: "2026-05-02T10:00:00.000Z" },
    ]);
  });

  it("keeps the lists of two chats apart, and refuses an empty list, which is more often a mistaken read", async () => {
    const runtime = new MemoryRuntime();
    await call(runtime, { todos: [{ content: "a", status: "pending" }] }, "one");
    expect((await call(runtime, "", "two")).result).toMatchObject({ todos: [], details: { total: 0 } });
    expect((await call(runtime, { todos: [] }, "one")).success).toBe(false);
    expect((await call(runtime, {}, "one")).result["todos"]).toHaveLength(1);
    const task = { id: "1", content: "a", status: "pending" };
    expect((await call(runtime, { todos: [task, task] })).success).toBe(false);
  });

  it("takes a stored list that cannot be read for an empty one", async () => {
    const runtime = new MemoryRuntime();
    for (const json of ["", "{", "[{}]", '"text"']) {
      await runtime.writeTodos("chat", json);
      expect((await call(runtime, {})).result["todos"]).toEqual([]);
    }
  });
});
