import { z } from "zod";
import { McpFailure, type McpAnswer, type McpTask, type McpTaskState } from "./mcp-client.ts";
import { asksIn, InputRequests, readWhole, WholeResult } from "./wire.ts";

/** The extension in which a server goes on with a call by itself, and is asked about it (SEP-2663). */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Most characters of an id, which is sent back in a header. */
const ID_CHARS = 1_000;

/** Sends a request about a call. Undefined for an id that the server does not know, or no longer. */
export type AskAbout = (method: string, params: Record<string, unknown>) => Promise<unknown>;

const text = z.string().optional().catch(undefined);
const number = z.number().optional().catch(undefined);

const Told = z.object({ statusMessage: text, ttlMs: number, pollIntervalMs: number });
type Told = z.output<typeof Told>;

const Created = Told.extend({ taskId: z.string().min(1).max(ID_CHARS) });

const ofTask = Told.extend({ taskId: z.string().optional() });
const State = z.discriminatedUnion("status", [
  ofTask.extend({ status: z.literal("working") }),
  ofTask.extend({ status: z.literal("input_required"), inputRequests: InputRequests }),
  ofTask.extend({ status: z.literal("completed"), result: WholeResult }),
  ofTask.extend({
    status: z.literal("failed"),
    error: z.object({ message: text }).catch({ message: undefined }),
  }),
  ofTask.extend({ status: z.literal("cancelled") }),
]);

/** A call that its server goes on with, from the result that was put aside; undefined for none. The call has reached the server. */
export function readTask(created: unknown): McpTask | undefined {
  if (created === undefined) return undefined;
  const { data } = Created.safeParse(created);
  if (!data) throw notMcp({ wasSent: true });
  return { taskId: data.taskId, ...told(data) };
}

/** Asks what has become of a call. */
export async function getTask(ask: AskAbout, taskId: string): Promise<McpTaskState> {
  const answer = await ask("tasks/get", { taskId });
  if (answer === undefined) return { kind: "unknown" };
  const { data: state } = State.safeParse(answer);
  if (!state || (state.taskId !== undefined && state.taskId !== taskId)) throw notMcp();
  switch (state.status) {
    case "working":
      return { kind: "working", asks: [], ...told(state) };
    case "input_required":
      return { kind: "working", asks: asksIn(state.inputRequests), ...told(state) };
    case "completed":
      return { kind: "completed", result: readWhole(state.result) };
    case "failed":
      return { kind: "failed", message: state.error.message ?? state.statusMessage };
    case "cancelled":
    default:
      return { kind: "cancelled", message: state.statusMessage };
  }
}

/** Sends a person's answers. Returns whether the server knows the call. */
export async function updateTask(
  ask: AskAbout,
  taskId: string,
  inputResponses: Readonly<Record<string, McpAnswer>>,
): Promise<boolean> {
  return (await ask("tasks/update", { taskId, inputResponses })) !== undefined;
}

const told = ({ statusMessage: message, ttlMs, pollIntervalMs: pollMs }: Told) => ({
  message,
  ttlMs,
  pollMs,
});

const notMcp = (options?: { wasSent: boolean }) =>
  new McpFailure("error", "The server answered something that is not MCP", options);
