import type { KeptPart } from "./kept-part.ts";
import type { ThinkingEffort } from "./thinking.ts";

/**
 * What the agent knows of a language model. One vocabulary for every provider: a request is a conversation, an answer is
 * a stream of text that ends in exactly one `finished` event. Providers live in sibling folders and never meet.
 */
export interface Model {
  /** Name the provider knows the model by, e.g. `gpt-5` or `claude-sonnet-4-5`. */
  readonly name: string;
  /** Identifier of the provider that answers, e.g. `openai`; recorded with the usage. */
  readonly provider: string;
  /** Throws `ModelError`, or the signal's reason when aborted. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ToolDefinition[];
  /** Upper bound of the answer, in tokens. */
  maxOutputTokens?: number;
  /** Upper bound of all that is written, thinking included, in tokens: what there is money for. The lower bound counts. */
  affordableTokens?: number;
  /**
   * How hard to think before the answer; the model's own way where it says nothing. Models that cannot be told are not. Not
   * together with `temperature` and `topP`, which models that think refuse.
   */
  effort?: ThinkingEffort;
  /** How the answer is made; the provider's own way where it says nothing. */
  options?: AnswerOptions;
}

/** What programs ask of an answer. The agent asks for none of it. */
export interface AnswerOptions {
  /** 0 to 2; Anthropic's wire ends at 1. */
  temperature?: number;
  topP?: number;
  /** Texts at which the answer ends. */
  stop?: readonly string[];
  seed?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  toolChoice?: "auto" | "none" | "required" | { name: string };
  parallelToolCalls?: boolean;
  format?: AnswerFormat;
  /** What only OpenAI's wire knows, in its own words. The other one refuses it. */
  openAi?: {
    logit_bias?: Record<string, number>;
    reasoning_effort?: string;
    verbosity?: string;
  };
}

/** An answer that is JSON, or JSON of a schema. */
export type AnswerFormat =
  | { type: "json_object" }
  | {
      type: "json_schema";
      name: string;
      description?: string;
      schema: Record<string, unknown>;
      strict?: boolean;
    };

/** What a user message may hold besides text: pictures, where `supportsVision` says the model sees them. */
export type ModelPart =
  | { type: "text"; text: string }
  | ImagePart
  /** A picture that the provider fetches itself. */
  | { type: "image_url"; url: string; detail?: ImageDetail };

/** How closely a model looks at a picture, where its wire has a word for it. */
export const IMAGE_DETAILS = ["low", "high", "auto"] as const;
export type ImageDetail = (typeof IMAGE_DETAILS)[number];

export interface ImagePart {
  type: "image";
  mimeType: ImageMimeType;
  base64: string;
  detail?: ImageDetail;
}

/**
 * The formats both vendors take. Sources: https://docs.anthropic.com/en/docs/build-with-claude/vision,
 * https://platform.openai.com/docs/guides/images-vision
 */
export const IMAGE_MIME_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
export type ImageMimeType = (typeof IMAGE_MIME_TYPES)[number];

/** Longest base64 text of one picture, in characters: 15 MB of picture. Providers may take less and then say so. */
export const IMAGE_BASE64_CHARS = 20_000_000;

export type UserContent = string | readonly ModelPart[];

export type ModelMessage =
  /** Instructions in the middle of a conversation, where the wire knows such a thing; else they join those before it. */
  | { role: "system"; content: string }
  /** `name` tells people of one role apart, where the wire knows such a thing. */
  | { role: "user"; content: UserContent; name?: string }
  | { role: "assistant"; content: string; toolCalls: readonly ToolCall[]; kept?: KeptPart }
  | {
      role: "tool";
      callId: string;
      name: string;
      content: string;
      isError: boolean;
      /** A picture that the call shows. */
      image?: ImagePart;
    };

export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of the arguments object. */
  parameters: Record<string, unknown>;
  /** Whether the arguments must follow the schema to the letter, where the wire knows such a thing. */
  strict?: boolean;
}

export interface ToolCall {
  /** Unique within the conversation; made up by the provider adapter where the provider sends none. */
  id: string;
  name: string;
  /** The arguments as the model wrote them: usually, not always, a JSON object. */
  arguments: string;
}

export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "other";

/** Tokens as the provider counted them, or as we estimate them where it did not say or said what cannot be. */
export interface ModelUsage {
  inputTokens: number;
  /** With what was thought: providers count and bill it as output. */
  outputTokens: number;
  /** Part of `inputTokens` that was read from the provider's prompt cache. */
  cachedInputTokens: number;
  /** Part of `inputTokens` that was written to the provider's prompt cache. */
  cacheWriteTokens: number;
}

export type ModelEvent =
  | { type: "text_delta"; text: string }
  /** The attempt failed and the answer starts over: what was streamed of this turn so far does not count. */
  | { type: "restarted"; attempt: number; reason: string }
  | {
      type: "finished";
      /** The whole text of the answer: the concatenation of its deltas. */
      text: string;
      toolCalls: ToolCall[];
      /** What the model thought before and between, as far as its provider shows it. No part of the text. */
      thought?: string;
      /** To be sent back with the answer. */
      kept?: KeptPart;
      finishReason: FinishReason;
      usage: ModelUsage;
    };

export type ModelErrorCode =
  | "unauthorized"
  /** The key is known, but may not do this. */
  | "forbidden"
  | "rate_limited"
  | "quota_exhausted"
  /** The team cannot pay for the call; the provider was not asked. */
  | "insufficient_credits"
  | "context_too_long"
  | "invalid_request"
  | "overloaded"
  | "stalled"
  | "connection"
  | "bad_response";

/** A failed model call. The message is safe to show: it names the provider and what happened, never a key. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;
  readonly retryable: boolean;
  /** How long the provider asked us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ModelErrorCode,
    message: string,
    options: { retryable: boolean; retryAfterMs?: number | undefined; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.name = "ModelError";
    this.code = code;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
  }
}
