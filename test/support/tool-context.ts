import type { AgentSchedules } from "#src/agent/services/schedules.ts";
import type { ToolContext } from "#src/agent/tools/tool.ts";
import type { ToolCall } from "#src/models/model.ts";
import type { SafeFetchAnswer } from "#src/platform/safe-fetch/safe-fetch.ts";
import { MemoryRuntime } from "./memory-runtime.ts";
import { memoryShells } from "./memory-shells.ts";

/** The context of a tool, over an empty project unless the test gives another. */
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
    callId: "1:call_1",
    report: () => {},
    model: { name: "gpt-5", seesPictures: true },
    signal: new AbortController().signal,
    readOnly: false,
    scopes: null,
    safeFetch: async (url) => textPage(url, "A page about gardens.\n".repeat(5_000)),
    webSearch: {
      defaultResults: 5,
      search: async (query, maxResults) =>
        Array.from({ length: maxResults }, (_, index) => ({
          title: `${query} ${index}`,
          url: `https://found.test/${index}`,
          snippet: "What it says. ".repeat(1_000),
        })),
    },
    shells: memoryShells(),
    messages: {
      send: async ({ target = "D1" }) => ({
        status: "sent",
        via: "channel",
        to: "Slack",
        chatId: target,
        platformMessageId: "1700000000.000100",
      }),
      resume: async () => undefined,
    },
    schedules: memorySchedules(),
    ...overrides,
  };
}

/** Schedules that hold one, whatever is done with it. */
function memorySchedules(): AgentSchedules {
  const line = {
    id: "0199c0de-0000-7000-8000-000000000004",
    name: "Morning report",
    schedule: "daily at 9am",
    description: "at 09:00, every day, UTC",
    timezone: "UTC",
    deliver: "origin",
    is_active: true,
    next_run_at: "2026-01-03T09:00:00.000Z",
    last_status: null,
    last_error: null,
  };
  return {
    create: async ({ name, schedule }) => ({ ...line, name, schedule }),
    list: async () => [line],
    update: async () => line,
    pause: async () => ({ ...line, is_active: false, next_run_at: null }),
    resume: async () => line,
    trigger: async () => "0199c0de-0000-7000-8000-000000000005",
    remove: async () => {},
  };
}

/** A plain text that was found at an address. */
export function textPage(url: string, text: string): SafeFetchAnswer {
  const headers = new Headers({ "content-type": "text/plain; charset=utf-8" });
  return { status: 200, headers, body: new TextEncoder().encode(text), url, truncated: false };
}

/** A call as a model makes it. */
export function toolCall(name: string, args: unknown): ToolCall {
  return { id: "call_1", name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
}
