import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { cancelTask, requireOpenTask, type OpenedTask } from "#src/domain/agent-work/tasks/index.ts";
import { chatUrl, type ConsoleConfig } from "#src/lib/console-url.ts";
import type { McpSession, Protocol } from "./session.ts";
import { visibleLine } from "#src/lib/visible.ts";
import { answering } from "./refusal.ts";
import { viewOfTask } from "./task-view.ts";

/** The extension for tasks of the revision 2026-07-28. Source: SEP-2663. */
const EXTENSION = "io.modelcontextprotocol/tasks";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const HEADER_MISMATCH = -32_020;

/** How often a client should ask, in milliseconds. */
const POLL_MS = 2_000;

const Declared = z.object({ extensions: z.looseObject({ [EXTENSION]: z.looseObject({}) }) });

const OpensAddresses = z.object({ elicitation: z.object({ url: z.looseObject({}) }) });

/** What the client can do. It says so with each request. */
const capabilitiesOf = ({ mcpReq }: ServerContext): unknown =>
  Reflect.get(mcpReq.envelope ?? {}, CAPABILITIES);

/** Whether the client takes a handle in place of a tool's result. */
export const takesHandles = (context: ServerContext): boolean =>
  Declared.safeParse(capabilitiesOf(context)).success;

/** Whether the client leads its person to an address. */
const opensAddresses = (context: ServerContext): boolean =>
  OpensAddresses.safeParse(capabilitiesOf(context)).success;

/** A task in place of the result of the tool that started it. */
export class TaskHandle {
  readonly result: Readonly<Record<string, unknown>>;

  constructor(task: OpenedTask) {
    this.result = { resultType: "task", ...stateOf(task) };
  }
}

/**
 * Serves the handles of tasks: the task's result once it has ended, what it asks a person, and its cancellation. A client can lead
 * its person to the page where approvals are answered, and answers none: what it reports about that is not needed.
 */
export function offerTaskHandles(protocol: Protocol, { server }: McpServer, session: McpSession): void {
  const { services, caller } = session;
  const params = z.looseObject({ taskId: z.string() });
  const on = (
    method: string,
    scope: "chat.view" | "chat.send",
    answer: (task: OpenedTask, context: ServerContext) => Promise<Record<string, unknown>>,
  ) =>
    server.setRequestHandler(method, { params }, async ({ taskId }, context) => {
      checkRequest(protocol, context, taskId);
      const find = async () => answer(await requireOpenTask(services, caller, taskId, scope), context);
      return answering(protocol, session, find());
    });
  server.registerCapabilities({ extensions: { [EXTENSION]: {} } });
  on("tasks/get", "chat.view", async (task, context) => ({
    ...stateOf(task),
    ...outcomeOf(task, services.config),
    ...(opensAddresses(context) && questionOf(task, services.config)),
  }));
  on("tasks/update", "chat.send", async () => ({}));
  on("tasks/cancel", "chat.send", async (task) => {
    await cancelTask(services, task);
    return {};
  });
}

function checkRequest(protocol: Protocol, context: ServerContext, taskId: string): void {
  if (!takesHandles(context)) {
    const requiredCapabilities = { extensions: { [EXTENSION]: {} } };
    throw new protocol.MissingRequiredClientCapabilityError({ requiredCapabilities });
  }
  if (context.http?.req?.headers.get("mcp-name") !== taskId) {
    throw new protocol.ProtocolError(HEADER_MISMATCH, "The header Mcp-Name must be the id of the task");
  }
}

function stateOf(task: OpenedTask) {
  const changed = task.completedAt ?? task.startedAt ?? task.createdAt;
  return {
    taskId: task.id,
    status: statusOf(task),
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: changed.toISOString(),
    ttlMs: null,
    pollIntervalMs: POLL_MS,
    ...(task.waiting && { statusMessage: sentenceOf(task.waiting) }),
  };
}

const sentenceOf = ({ approvalId }: NonNullable<OpenedTask["waiting"]>): string =>
  approvalId === null
    ? "It waits for an earlier message of its chat"
    : "It waits for an approval, which a person gives in the console";

/** The approval that a task waits for, as an address for the client's person. */
function questionOf(task: OpenedTask, config: ConsoleConfig): Record<string, unknown> | undefined {
  const { approvalId, tool } = task.waiting ?? {};
  if (!approvalId) return undefined;
  const params = {
    mode: "url",
    message: `May the agent use ${visibleLine(tool ?? "a tool")}? Answer in its chat.`,
    url: chatUrl(config, task),
  };
  // A client shows a key once, however often it asks.
  return {
    status: "input_required",
    inputRequests: { [approvalId]: { method: "elicitation/create", params } },
  };
}

/** In the extension, `failed` is an error of the protocol. An agent that failed has a result that says so. */
function statusOf({ status }: OpenedTask): "working" | "completed" | "cancelled" {
  if (status === "cancelled") return "cancelled";
  return status === "completed" || status === "failed" ? "completed" : "working";
}

function outcomeOf(task: OpenedTask, config: ConsoleConfig): { result?: CallToolResult } {
  if (statusOf(task) !== "completed") return {};
  const structuredContent = viewOfTask(task, config);
  const content: CallToolResult["content"] = [{ type: "text", text: JSON.stringify(structuredContent) }];
  return { result: { content, structuredContent, ...(task.status === "failed" && { isError: true }) } };
}
