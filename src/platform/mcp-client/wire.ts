import type { JsonSchemaValidatorResult } from "@modelcontextprotocol/client";
import { z } from "zod";
import { headerProblem } from "./header-declarations.ts";
import type { ListedTools, McpContent, McpNeedsInput, McpResult } from "./mcp-client.ts";

/** Where lists are put aside, in the `_meta` of a result. */
const RAW = "agent-workspace/raw";
/** Where a result is put aside that says that its server goes on with the call. */
const TASK = "agent-workspace/task";

const Response = z.looseObject({
  result: z.looseObject({
    resultType: z.unknown().optional(),
    _meta: z.record(z.string(), z.unknown()).optional().catch(undefined),
    tools: z.array(z.unknown()).optional().catch(undefined),
    content: z.array(z.unknown()).optional().catch(undefined),
  }),
});

/**
 * A response with the entries of its list put aside. The official package refuses a whole list, or a whole result, for one entry
 * that is malformed; here they are read one by one. It also refuses results of the kind `task`, which are put aside as a whole where
 * they are taken. Other messages stay as they are.
 */
export function putAside<T>(message: T, takesTasks = false): T {
  const { data } = Response.safeParse(message);
  if (!data) return message;
  const { tools, content, resultType, _meta: meta } = data.result;
  if (takesTasks && resultType === "task") {
    return { ...message, result: { resultType: "complete", content: [], _meta: { [TASK]: data.result } } };
  }
  const raw = tools ?? content;
  if (!raw) return message;
  const emptied = tools ? { tools: [] } : { content: [] };
  return { ...message, result: { ...data.result, ...emptied, _meta: { ...meta, [RAW]: raw } } };
}

const Meta = z.object({ [RAW]: z.array(z.unknown()) }).transform((meta) => meta[RAW]);

/** A page of tools, whose entries are put aside. */
export const ToolsPage = z.looseObject({
  _meta: Meta,
  nextCursor: z.string().optional(),
});
export type ToolsPage = z.output<typeof ToolsPage>;

const Tool = z.object({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  execution: z.object({ taskSupport: z.string().optional() }).optional().catch(undefined),
});

export function readTools({ _meta: entries }: ToolsPage, takesTasks = false): ListedTools {
  const named = entries.flatMap((entry) => Tool.safeParse(entry).data ?? []);
  const judged = named.map(({ execution, ...tool }) => ({
    tool,
    problem:
      depthProblem(tool.inputSchema) ??
      headerProblem(tool.inputSchema) ??
      (takesTasks ? undefined : taskProblem(execution?.taskSupport)),
  }));
  return {
    tools: judged.flatMap(({ tool, problem }) => (problem === undefined ? [tool] : [])),
    refused: judged.flatMap(({ tool: { name }, problem }) =>
      problem === undefined ? [] : [{ name, problem }],
    ),
    malformed: entries.length - named.length,
  };
}

/** The pages of a list as one. */
export function together(pages: readonly ListedTools[]): ListedTools {
  return {
    tools: pages.flatMap(({ tools }) => tools),
    refused: pages.flatMap(({ refused }) => refused),
    malformed: pages.reduce((count, { malformed }) => count + malformed, 0),
  };
}

/** Deepest nesting that is read. Functions that walk through a value, as that which makes JSON of it, fail at some thousand levels. */
const MAX_DEPTH = 100;

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth >= MAX_DEPTH || Object.values(value).some((part) => isTooDeep(part, depth + 1));
}

const depthProblem = (schema: unknown) => (isTooDeep(schema) ? "its schema is nested too deeply" : undefined);

function taskProblem(support: string | undefined): string | undefined {
  return support === "required"
    ? "it runs as a task of the protocol alone, which is not supported"
    : undefined;
}

const Aside = z.object({ _meta: z.object({ [TASK]: z.unknown() }) });

/** The result of `tools/call` that was put aside, because its server goes on with the call; undefined for another one. */
export function taskAside(result: unknown): unknown {
  return Aside.safeParse(result).data?._meta[TASK];
}

/** What a server asks of its client, by keys of its own. */
export const InputRequests = z.record(
  z.string(),
  z.object({ method: z.string(), params: z.unknown().optional() }),
);

export function asksIn(requests: z.output<typeof InputRequests>): McpNeedsInput["asks"] {
  return Object.entries(requests).map(([key, { method, params }]) => ({ key, method, params }));
}

const NeedsInput = z.object({
  resultType: z.literal("input_required"),
  inputRequests: InputRequests.default({}),
  requestState: z.string().optional(),
});

/** What a result of `tools/call` asks for; undefined for one that is complete. */
export function readNeeds(result: unknown): McpNeedsInput | undefined {
  const { data } = NeedsInput.safeParse(result);
  if (!data) return undefined;
  return { asks: asksIn(data.inputRequests), state: data.requestState };
}

const Refusal = z.object({
  code: z.literal(-32_042),
  data: z.object({ elicitations: z.array(z.looseObject({ mode: z.literal("url") })).min(1) }),
});

/** What an error of `tools/call` asks for, of a server that wants addresses opened first; undefined for another error. */
export function readRefusal(error: unknown): McpNeedsInput | undefined {
  const { data: refusal } = Refusal.safeParse(error);
  if (!refusal) return undefined;
  const asks = refusal.data.elicitations.map((params, at) => ({
    key: `${at}`,
    method: "elicitation/create",
    params,
  }));
  return { asks, state: undefined, isRefusal: true };
}

/** A result of `tools/call`, whose parts are put aside. */
export const RawResult = z.looseObject({
  _meta: Meta.catch([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});

/** A result of a tool inside of another result, whose parts are where they were. */
export const WholeResult = RawResult.omit({ _meta: true }).extend({
  content: z.array(z.unknown()).catch([]),
});

export function readWhole({ content, structuredContent, isError }: z.output<typeof WholeResult>): McpResult {
  return readContent({ _meta: content, structuredContent, isError });
}

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

export function readContent({
  _meta: content,
  structuredContent,
  isError,
}: z.output<typeof RawResult>): McpResult {
  const parts = content.map(toContent);
  if (!isTooDeep(structuredContent)) {
    return { content: parts, structured: structuredContent, isError: isError ?? false };
  }
  const leftOut: McpContent = { type: "other", kind: "structured content nested too deeply" };
  return { content: [...parts, leftOut], structured: undefined, isError: isError ?? false };
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

/**
 * Takes a structured result for what the server's schema says: it is shown to a model, which needs no promise about its form, and
 * compiling foreign patterns costs time.
 */
export const believed = <T>(value: unknown): JsonSchemaValidatorResult<T> => ({
  valid: true,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no code trusts the type
  data: value as T,
  errorMessage: undefined,
});
