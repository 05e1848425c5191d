import type { McpAnswer, McpNeedsInput, McpTask } from "#src/platform/mcp-client/mcp-client.ts";
import type { ToolFailure, ToolResult } from "./tool.ts";

/** A call that its server goes on with by itself: the result is asked for later, and the call is not made again. */
export class Deferred extends Error {
  override name = "Deferred";
  readonly server: string;
  readonly task: McpTask;
  /** What was called, as `Tool.allowance` says it: no other tool, and no other address, is asked about the call. */
  readonly tool: string;

  constructor(server: string, task: McpTask, tool: string) {
    super(`MCP server ${server} goes on with the call`);
    this.server = server;
    this.task = task;
    this.tool = tool;
  }
}

/** A deferred call, and what its server is asked or told. */
export interface DeferredRequest {
  /** The server's id of the call. */
  taskId: string;
  /** As `Deferred.tool`. */
  tool: string;
  /** What the server is told; it is asked what has become of the call where this is absent. */
  say?: { answers: Readonly<Record<string, McpAnswer>> } | "cancel" | undefined;
}

/** What a server says of a deferred call. */
export type DeferredState =
  | { kind: "over"; result: ToolResult }
  | ({ kind: "working"; asks: McpNeedsInput["asks"] } & Omit<McpTask, "taskId">)
  /**
   * The server did not say it. `passes` tells how likely another time is to be better; `cause` is that of an unexpected failure, only
   * for the log.
   */
  | { kind: "failed"; passes: "maybe" | "hardly" | "never"; result: ToolFailure; cause?: unknown };
