import type { McpNeedsInput } from "#src/platform/mcp-client/mcp-client.ts";

/** A call cannot go on without a person's answers; it is made again with them. */
export class NeedsInput extends Error {
  override name = "NeedsInput";
  readonly server: string;
  readonly needs: McpNeedsInput;

  constructor(server: string, needs: McpNeedsInput) {
    super(`MCP server ${server} asks for input`);
    this.server = server;
    this.needs = needs;
  }
}
