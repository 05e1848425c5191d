import type { KeptPart } from "./kept-part.ts";
import type { ThinkingEffort } from "./thinking.ts";

/**
 * The agent's interface to a language model, the same for every provider: a request is a conversation, an answer is a
 * stream of text that ends in exactly one `finished` event. Each provider's code is in a sibling folder, and these
 * folders do not import each other.
 */
export interface Model {
  /** The provider's name of the model, e.g. `gpt-5` or `claude-sonnet-4-5`. */
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
  /**
   * Upper bound of all output including thinking, in tokens: what the credits pay for. The lower of the two bounds
   * applies.
   */
  affordableTokens?: number;
  /**
   * Thinking effort before the answer; the model's default if absent. Ignored by models without this setting. Not
   * combined with `temperature` and `topP`, which thinking models refuse.
   */
  effort?: ThinkingEffort;
  /** Options of the answer; the provider's defaults if absent. */
  options?: AnswerOptions;
}

/** Options that API clients set for an answer. The agent sets none. */
export interface AnswerOptions {
  /** 0 to 2; Anthropic's maximum is 1. */
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
  /** Fields of OpenAI's API only, under its names. Anthropic's API refuses them. */
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

/** A part of a user message: text, or a picture where `supportsVision` says that the model accepts pictures. */
export type ModelPart =
  | { type: "text"; text: string }
  | ImagePart
  /** A picture that the provider fetches itself. */
  | { type: "image_url"; url: string; detail?: ImageDetail };

/** How closely a model looks at a picture, if its API has this setting. */
export const IMAGE_DETAILS = ["low", "high", "auto"] as const;
export type ImageDetail = (typeof IMAGE_DETAILS)[number];

export interface ImagePart {
  type: "image";
  mimeType: ImageMimeType;
  base64: string;
  detail?: ImageDetail;
  /** Its size in pixels, where it was read. */
  size?: { width: number; height: number };
  /** Its name in a note that stands in its place. */
  name?: string;
}

/**
 * Formats that both vendors accept. Sources: https://docs.anthropic.com/en/docs/build-with-claude/vision,
 * https://platform.openai.com/docs/guides/images-vision
 */
export const IMAGE_MIME_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
export type ImageMimeType = (typeof IMAGE_MIME_TYPES)[number];

/**
 * Longest base64 text of one picture, in characters: 15 MB of picture. Some providers accept less and then return an
 * error.
 */
export const IMAGE_BASE64_CHARS = 20_000_000;

export type UserContent = string | readonly ModelPart[];

export type ModelMessage =
  /**
   * Instructions in the middle of a conversation, if the API supports them; otherwise they are joined with the
   * preceding ones.
   */
  | { role: "system"; content: string }
  /** `name` distinguishes people of one role, if the API supports it. */
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
  /** Whether the arguments must match the schema strictly, if the API supports it. */
  strict?: boolean;
}

export interface ToolCall {
  /** Unique within the conversation; the provider adapter generates it if the provider sends none. */
  id: string;
  name: string;
  /** The arguments as the model wrote them: usually, but not always, a JSON object. */
  arguments: string;
}

export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "other";

/** Tokens by the provider's count, or by our estimate where the count is missing or implausible. */
export interface ModelUsage {
  inputTokens: number;
  /** Includes thinking: providers count and bill it as output. */
  outputTokens: number;
  /** Part of `inputTokens` that was read from the provider's prompt cache. */
  cachedInputTokens: number;
  /** Part of `inputTokens` that was written to the provider's prompt cache. */
  cacheWriteTokens: number;
}

export const NO_USAGE: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
};

export type ModelEvent =
  | { type: "text_delta"; text: string }
  /** Output that is not text: thinking, or a piece of a call. It is only counted; `finished` has all of it. */
  | { type: "hidden_delta"; text: string }
  /** The attempt failed and the answer starts over: discard the text streamed for this turn so far. */
  | { type: "restarted"; attempt: number; reason: string }
  | {
      type: "finished";
      /** The whole text of the answer: the concatenation of its deltas. */
      text: string;
      toolCalls: ToolCall[];
      /**
       * The model's thinking before and between its output, as far as the provider returns it. Not part of the text.
       */
      thought?: string;
      /** Must be returned with the answer. */
      kept?: KeptPart;
      finishReason: FinishReason;
      usage: ModelUsage;
    };

export type ModelErrorCode =
  | "unauthorized"
  /** The key is valid, but lacks the permission. */
  | "forbidden"
  | "rate_limited"
  | "quota_exhausted"
  /** The team cannot pay for the call; no request was sent to the provider. */
  | "insufficient_credits"
  | "context_too_long"
  | "invalid_request"
  | "overloaded"
  | "stalled"
  | "connection"
  | "bad_response";

/** A failed model call. The message is safe to show: it names the provider and the problem, never a key. */
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
