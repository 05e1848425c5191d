import { z } from "zod";
import { firstRefusal, refusedImage, refusedName, refusedSchema, refusedText } from "./refusal.ts";

const Part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string().min(1) }),
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) }),
]);
const Parts = z.array(Part).min(1);
const Call = z.object({
  id: z.string().min(1),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const Message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: z.union([z.string(), Parts]) }),
  z.object({ role: z.literal("user"), content: z.union([z.string(), Parts]) }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([z.string(), Parts]).nullish(),
    tool_calls: z.array(Call).min(1).optional(),
  }),
  z.object({
    role: z.literal("tool"),
    tool_call_id: z.string(),
    content: z.union([z.string(), Parts]),
  }),
]);
type Message = z.infer<typeof Message>;
const Body = z.object({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  tools: z
    .array(
      z.object({
        type: z.literal("function"),
        function: z.object({ name: z.string(), parameters: z.unknown().optional() }),
      }),
    )
    .min(1)
    .optional(),
});

const Arguments = z.record(z.string(), z.unknown());

/**
 * The sentence with which OpenAI's API refuses a request; undefined for one that it takes. Of a provider's rules, those that
 * answers of models and results of tools can break; `ids` are those that a compatible server takes. Source: https://platform.openai.com/docs/api-reference/chat/create
 */
export function refusedByOpenAi(request: unknown, { ids = /^.{1,40}$/u } = {}): string | undefined {
  const body = Body.safeParse(request);
  if (!body.success) return z.prettifyError(body.error);
  const { messages, tools = [] } = body.data;
  const names = tools.map((tool) => tool.function.name);
  return firstRefusal(
    refusedText(request),
    ...names.map(refusedName),
    ...tools.map((tool) => refusedSchema(tool.function.parameters)),
    new Set(names).size < names.length ? "tools: names must be unique" : undefined,
    refusedOrder(messages, ids),
    ...messages.map(refusedMessage),
  );
}

function refusedOrder(messages: readonly Message[], ids: RegExp): string | undefined {
  let open: string[] = [];
  const used = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      const { tool_call_id: id } = message;
      if (!open.includes(id))
        return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'";
      open = open.filter((each) => each !== id);
      continue;
    }
    if (open.length > 0)
      return `an assistant message with 'tool_calls' must be followed by tool messages: ${open.join()}`;
    if (message.role !== "assistant") continue;
    if (message.content === "" && !message.tool_calls)
      return "assistant messages must have content or tool_calls";
    for (const { id } of message.tool_calls ?? []) {
      if (!ids.test(id)) return `tool_calls: the id ${id} does not match ${ids.source}`;
      if (used.has(id)) return `duplicate tool call id ${id}`;
      used.add(id);
      open.push(id);
    }
  }
  return open.length > 0 ? `tool_call_ids did not have response messages: ${open.join()}` : undefined;
}

function refusedMessage(message: Message): string | undefined {
  if (message.role === "assistant") {
    return firstRefusal(
      ...(message.tool_calls ?? []).flatMap(({ function: call }) => [
        refusedName(call.name),
        refusedArguments(call.arguments),
      ]),
    );
  }
  if (message.role !== "user" || typeof message.content === "string") return undefined;
  return firstRefusal(
    ...message.content.map((part) => (part.type === "image_url" ? refusedUrl(part.image_url) : undefined)),
  );
}

function refusedArguments(text: string): string | undefined {
  try {
    const parsed = Arguments.safeParse(JSON.parse(text));
    return parsed.success ? refusedText(parsed.data, "arguments") : "arguments must be a JSON object";
  } catch {
    return "arguments must be valid JSON";
  }
}

function refusedUrl({ url }: { url: string }): string | undefined {
  if (!url.startsWith("data:")) return undefined;
  const [, mimeType = "", base64 = ""] = /^data:([^;]*);base64,(.*)$/su.exec(url) ?? [];
  return refusedImage(mimeType, base64, 20);
}
