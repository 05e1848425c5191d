import { z } from "zod";
import type { ListedTool, ListedTools, McpContent, McpResult } from "./mcp-client.ts";

/** A page of tools. Its entries are read one by one, so that a malformed one is left out alone. */
export const ToolsPage = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional(),
});
export type ToolsPage = z.output<typeof ToolsPage>;

const Tool = z.object({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown(),
  annotations: z.unknown(),
});

export function readTools(pages: readonly ToolsPage[]): ListedTools {
  const entries = pages.flatMap(({ tools }) => tools);
  const tools = entries.flatMap((entry): ListedTool[] => {
    const { success, data } = Tool.safeParse(entry);
    return success ? [data] : [];
  });
  return { tools, malformed: entries.length - tools.length };
}

/** A result of `tools/call`, whose parts are read one by one. */
export const RawResult = z.looseObject({
  content: z.array(z.unknown()).catch([]),
  structuredContent: z.unknown(),
  isError: z.boolean().optional().catch(undefined),
});

const Text = z.string();
const optional = z.string().catch("");
const Block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: Text }),
  z.object({ type: z.literal("image"), data: Text, mimeType: optional }),
  z.object({ type: z.literal("audio"), data: Text, mimeType: optional }),
  z.object({ type: z.literal("resource_link"), uri: Text, name: optional, description: optional }),
  z.object({
    type: z.literal("resource"),
    resource: z.union([
      z.object({ uri: Text, mimeType: optional, text: Text }),
      z.object({ uri: Text, mimeType: optional, blob: Text }),
    ]),
  }),
]);

export function readContent({ content, structuredContent, isError }: z.output<typeof RawResult>): McpResult {
  return { content: content.map(toContent), structured: structuredContent, isError: isError ?? false };
}

function toContent(part: unknown): McpContent {
  const { data: block } = Block.safeParse(part);
  if (!block)
    return { type: "other", kind: z.object({ type: Text }).safeParse(part).data?.type ?? "unknown" };
  if (block.type === "resource_link") return { ...block, type: "link" };
  if (block.type !== "resource") return block;
  const { resource } = block;
  return "text" in resource ? { ...resource, type: "resource" } : { ...resource, type: "blob" };
}
