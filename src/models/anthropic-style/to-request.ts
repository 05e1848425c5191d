import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  RedactedThinkingBlockParam,
  ToolResultBlockParam,
  TextBlockParam,
  ThinkingBlockParam,
  ToolUseBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import type { ModelMessage, ModelPart, ModelRequest, UserContent } from "../model.ts";
import { storableJson } from "#src/lib/storable-text.ts";
import { argumentsObject, wireId } from "../tool-calls.ts";
import { wireName } from "../tool-names.ts";
import { inOrder } from "./answer-order.ts";
import { JSON_ONLY, toOptions, toToolChoice } from "./to-options.ts";
import { toThinking, type Thinking } from "./to-thinking.ts";

type Block =
  | TextBlockParam
  | ImageBlockParam
  | ToolUseBlockParam
  | ToolResultBlockParam
  | ThinkingBlockParam
  | RedactedThinkingBlockParam;
interface Turn {
  role: "user" | "assistant";
  content: Block[];
}

/** The API refuses any other identifier of a call. */
const VALID_ID = /^[\w-]+$/u;

/**
 * Marks the end of a prefix for the prompt cache, five minutes by default; at most four in a request. Source:
 * https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
 */
const breakpoint = { cache_control: { type: "ephemeral" } } as const;

/** Builds the body of a streaming message. */
export function toRequest(model: string, request: ModelRequest): MessageCreateParamsStreaming {
  const { tools, options = {} } = request;
  const wantsJson = options.format?.type === "json_object";
  const instructions = systemOf(request);
  const system = wantsJson ? `${instructions}\n\n${JSON_ONLY}`.trim() : instructions;
  const thinking = thinkingOf(model, request);
  const answer = toOptions(options);
  // The API refuses texts that are not valid Unicode.
  return storableJson({
    model,
    stream: true,
    max_tokens: limitOf(model, request, thinking),
    messages: withBreakpoints(toTurns(request.messages)),
    ...(system.trim() && { system: [{ type: "text", text: system, ...breakpoint }] }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }, position) => ({
        name,
        description,
        input_schema: { ...parameters, type: "object" },
        ...(position === tools.length - 1 && breakpoint),
      })),
      ...toToolChoice(options),
    }),
    ...answer,
    ...thinking?.body,
    ...(thinking?.body.output_config && {
      output_config: { ...answer.output_config, ...thinking.body.output_config },
    }),
  });
}

/** Returns the most tokens that the answer to a request may have, including thinking. */
export function longestAnswer(model: string, request: ModelRequest): number {
  return limitOf(model, request, thinkingOf(model, request));
}

function thinkingOf(model: string, { effort, messages, affordableTokens }: ModelRequest) {
  return toThinking(model, effort, { goesOn: lacksThinking(messages), room: affordableTokens });
}

function limitOf(model: string, request: ModelRequest, thinking: Thinking | undefined): number {
  const answerTokens = request.maxOutputTokens ?? defaultMaxTokens(model);
  const wanted = thinking ? Math.min(thinking.most, answerTokens + thinking.tokens) : answerTokens;
  return Math.min(wanted, request.affordableTokens ?? wanted);
}

/** Whether the last turn called tools and lacks its thinking. */
function lacksThinking(messages: readonly ModelMessage[]): boolean {
  const last = messages.findLast(({ role }) => role !== "tool");
  return last?.role === "assistant" && last.kept === undefined;
}

/** This API has one place for instructions, before everything else. */
function systemOf({ system, messages }: ModelRequest): string {
  const later = messages.flatMap((message) => (message.role === "system" ? [message.content] : []));
  return [system, ...later].filter((text) => text !== "").join("\n\n");
}

/** Required by this API; models of the third generation answer with at most 8192 tokens. */
function defaultMaxTokens(model: string): number {
  return model.startsWith("claude-3") ? 8192 : 16_000;
}

/**
 * Joins neighbouring messages of one role, because turns must alternate on this API; so the results of parallel calls
 * stand together.
 */
function toTurns(messages: readonly ModelMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = toBlocks(message);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content });
  }
  return turns;
}

function toBlocks(message: Exclude<ModelMessage, { role: "system" }>): Block[] {
  if (message.role === "user") return toUserBlocks(message.content);
  if (message.role === "tool") {
    // The API refuses an error without a text.
    const text = message.content || (message.isError ? "The tool failed and said nothing." : "");
    const result = {
      type: "tool_result" as const,
      tool_use_id: wireId(message.callId, VALID_ID),
      content: [
        ...toText(text),
        ...(message.image ? [{ type: "image" as const, source: toSource(message.image) }] : []),
      ],
    };
    return [message.isError ? { ...result, is_error: true } : result];
  }
  const calls = message.toolCalls.map((call) => ({
    type: "tool_use" as const,
    id: wireId(call.id, VALID_ID),
    name: wireName(call.name),
    input: argumentsObject(call.arguments),
  }));
  return inOrder(message.kept?.content, message.content, calls, toText);
}

function toUserBlocks(content: UserContent): Block[] {
  if (typeof content === "string") return toText(content);
  return content.flatMap((part): Block[] =>
    part.type === "text" ? toText(part.text) : [{ type: "image", source: toSource(part) }],
  );
}

function toSource(part: Exclude<ModelPart, { type: "text" }>): ImageBlockParam["source"] {
  if (part.type === "image_url") return { type: "url", url: part.url };
  return { type: "base64", media_type: part.mimeType, data: part.base64 };
}

/** The API refuses blocks of only white space. */
function toText(text: string): TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/**
 * Puts breakpoints at the last two user turns: the older one was stored by the previous call and is read now, the newer
 * one is stored now.
 */
function withBreakpoints(turns: Turn[]): MessageParam[] {
  const ends = new Set(turns.filter((turn) => turn.role === "user").slice(-2));
  return turns.map((turn) => ({
    role: turn.role,
    content: turn.content.map((block, position): ContentBlockParam => {
      const isEnd = ends.has(turn) && position === turn.content.length - 1;
      return isEnd ? { ...block, ...breakpoint } : block;
    }),
  }));
}
