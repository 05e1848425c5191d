import type { ToolContext } from "#src/agent/tools/tool.ts";
import type { ToolCall } from "#src/models/model.ts";
import { MemoryRuntime } from "./memory-runtime.ts";

/** What a tool is given, over an empty project unless the test says otherwise. */
export function toolContext(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    runtime: new MemoryRuntime(),
    project: {
      id: "0199c0de-0000-7000-8000-000000000001",
      name: "Garden planner",
      slug: "garden-planner",
      description: "Plans beds and sowing dates",
      ownerId: "0199c0de-0000-7000-8000-000000000002",
      createdAt: new Date("2026-01-02T03:04:05.000Z"),
      updatedAt: null,
    },
    chatId: "0199c0de-0000-7000-8000-000000000003",
    signal: new AbortController().signal,
    scopes: null,
    ...overrides,
  };
}

/** A call as a model makes it. */
export function toolCall(name: string, args: unknown): ToolCall {
  return { id: "call_1", name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
}
