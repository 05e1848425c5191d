import { Refused, type McpStub } from "./mcp-stub.ts";

/** What a server says of a call that it goes on with, each time that it is asked; the last one again and again. */
export type Told = Record<string, unknown> | Refused;

/** A result as the server of a deferred call has it at the end. */
export const completed = (text: string, fields: object = {}): Told => ({
  status: "completed",
  result: { content: [{ type: "text", text }], ...fields },
});

export const working = (fields: object = {}): Record<string, unknown> => ({ status: "working", ...fields });

/** The server asks its client for something before it goes on. */
export const asking = (
  requests: Record<string, Record<string, unknown>>,
  method = "elicitation/create",
): Told => ({
  status: "input_required",
  inputRequests: Object.fromEntries(
    Object.entries(requests).map(([key, params]) => [key, { method, params }]),
  ),
});

/** Requests about calls, as the server has heard them. */
export const heardOf = (stub: McpStub, method: string) =>
  stub.requests.filter((request) => request.method === method).map(({ params }) => params);

/**
 * Lets a server of 2026-07-28 go on with each call by itself, and say this of it. A call is known by what its argument `q` says.
 * `fields` are those of the handle.
 */
export function deferCalls(stub: McpStub, told: readonly Told[], fields: object = {}): void {
  const asked = new Map<string, number>();
  const common = { createdAt: "2026-11-28T00:00:00Z", lastUpdatedAt: "2026-11-28T00:00:00Z", ttlMs: null };
  stub.instead["tools/call"] = ({ params }) => {
    const taskId = `task-of-${String(Object(params["arguments"]).q)}`;
    return { resultType: "task", ...common, taskId, status: "working", pollIntervalMs: 0, ...fields };
  };
  stub.instead["tasks/get"] = ({ params }) => {
    const taskId = String(params["taskId"]);
    const times = asked.get(taskId) ?? 0;
    asked.set(taskId, times + 1);
    const state = told[Math.min(times, told.length - 1)];
    if (state instanceof Refused) return state;
    return { resultType: "complete", ...common, taskId, pollIntervalMs: 0, ...state };
  };
  for (const method of ["tasks/update", "tasks/cancel"])
    stub.instead[method] = () => ({ resultType: "complete" });
}
