import type { McpTask } from "#src/platform/mcp-client/mcp-client.ts";

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
