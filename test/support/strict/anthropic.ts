import { z } from "zod";
import { firstRefusal, refusedImage, refusedName, refusedSchema, refusedText } from "./refusal.ts";

const Text = z.object({
  type: z.literal("text"),
  text: z.string().regex(/\S/u, "text content blocks must contain non-whitespace text"),
});
const Image = z.object({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [
    z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
    z.object({ type: z.literal("url"), url: z.string() }),
  ]),
});
const id = z.string().regex(/^[a-zA-Z0-9_-]+$/u);
const Result = z.object({
  type: z.literal("tool_result"),
  tool_use_id: id,
  is_error: z.boolean().optional(),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [Text, Image]))]).optional(),
});
const ToolUse = z.object({
  type: z.literal("tool_use"),
  id,
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const UserBlock = z.discriminatedUnion("type", [Text, Image, Result]);
type UserBlock = z.infer<typeof UserBlock>;
const AssistantBlock = z.discriminatedUnion("type", [
  Text,
  ToolUse,
  z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal("redacted_thinking"), data: z.string() }),
]);
const Message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), content: z.union([z.string().min(1), z.array(UserBlock).min(1)]) }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([z.string().min(1), z.array(AssistantBlock).min(1)]),
  }),
]);
type Message = z.infer<typeof Message>;
const Body = z.object({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(Message).min(1),
  system: z.union([z.string(), z.array(Text)]).optional(),
  tools: z.array(z.object({ name: z.string(), input_schema: z.unknown().optional() })).optional(),
});

/**
 * The sentence with which Anthropic's API refuses a request; undefined for one that it takes. Of the provider's rules, those
 * that answers of models and results of tools can break. It joins neighbours of one role itself, but servers with its
 * protocol do not, so they are refused. Source: https://docs.anthropic.com/en/api/messages
 */
export function refusedByAnthropic(request: unknown): string | undefined {
  const body = Body.safeParse(request);
  if (!body.success) return z.prettifyError(body.error);
  const { messages, tools = [] } = body.data;
  const names = tools.map(({ name }) => name);
  return firstRefusal(
    refusedText(request),
    ...names.map(refusedName),
    ...tools.map((tool) => refusedSchema(tool.input_schema)),
    new Set(names).size < names.length ? "tools: Tool names must be unique." : undefined,
    messages[0]?.role === "user" ? undefined : 'messages: first message must use the "user" role',
    refusedOrder(messages),
    ...messages.flatMap(({ content }) => (typeof content === "string" ? [] : content.map(refusedBlock))),
  );
}

function refusedOrder(messages: readonly Message[]): string | undefined {
  let open: string[] = [];
  const used = new Set<string>();
  for (const [place, { role, content }] of messages.entries()) {
    if (messages[place - 1]?.role === role)
      return 'messages: roles must alternate between "user" and "assistant"';
    const blocks = typeof content === "string" ? [] : content;
    const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
    const missing = open.filter((each) => !results.includes(each));
    if (missing.length > 0)
      return `tool_use ids were found without tool_result blocks immediately after: ${missing.join()}`;
    if (results.length > open.length) return "unexpected tool_use_id found in tool_result blocks";
    if (blocks.slice(results.length).some(({ type }) => type === "tool_result"))
      return "tool_result blocks must come first";
    open = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    if (open.some((each) => used.has(each)) || new Set(open).size < open.length)
      return "tool_use ids must be unique";
    for (const each of open) used.add(each);
  }
  return open.length > 0 ? `tool_use ids were found without tool_result blocks: ${open.join()}` : undefined;
}

function refusedBlock(block: UserBlock | z.infer<typeof AssistantBlock>): string | undefined {
  switch (block.type) {
    case "tool_use":
      return refusedName(block.name);
    case "image":
      return block.source.type === "url"
        ? undefined
        : refusedImage(block.source.media_type, block.source.data, 5);
    case "tool_result": {
      const { content = [], is_error: isError } = block;
      if (isError && content.length === 0) return "content cannot be empty if `is_error` is true";
      return typeof content === "string" ? undefined : firstRefusal(...content.map(refusedBlock));
    }
    case "text":
    case "thinking":
    case "redacted_thinking":
    default:
      return undefined;
  }
}
