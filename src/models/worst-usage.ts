import { longestAnswer as longestOfMessages } from "./anthropic-style/to-request.ts";
import { longestAnswer } from "./model-facts.ts";
import type { Model, ModelMessage, ModelRequest, ModelUsage } from "./model.ts";

/**
 * Least bytes of a token, whatever the text: tokens are made of bytes, so each has at least one. The average is about
 * four. Source: https://github.com/openai/tiktoken ("the token sequence is shorter than the bytes")
 */
const LEAST_BYTES = 1;

/**
 * Least bytes of a token in the service's own tool descriptions, which are fixed: English and JSON have three to four
 * bytes per token in every tokenizer.
 */
const LEAST_BYTES_OF_OWN_TOOLS = 2;

/**
 * Tokens that a provider adds: at most 804, with tools. Source:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview#pricing
 */
const ADDED_TOKENS = 1_000;

/**
 * Most tokens of one picture: 2,833 and 5,667 for each of at most eight tiles with GPT-4o mini; others stay below
 * 10,000. Source: https://platform.openai.com/docs/guides/images-vision#calculating-costs
 */
const PICTURE_TOKENS = { "gpt-4o-mini": 50_000, other: 10_000 };

/**
 * Returns an upper bound of a call's usage. The provider's count is never above it, unless it breaks its own bounds.
 */
export function worstUsage(
  model: Pick<Model, "name" | "provider">,
  request: ModelRequest,
  { ownTools }: { ownTools: boolean },
): Pick<ModelUsage, "inputTokens" | "outputTokens"> {
  const { system, messages, tools, options } = request;
  // JSON only makes texts longer, and includes names and separators.
  const said = Buffer.byteLength(JSON.stringify([system, messages.map(withoutPictures), options]));
  const listed = Buffer.byteLength(JSON.stringify(tools));
  const pictures = messages.reduce((sum, message) => sum + picturesOf(message), 0);
  const perPicture = PICTURE_TOKENS[model.name.includes("gpt-4o-mini") ? "gpt-4o-mini" : "other"];
  return {
    inputTokens:
      Math.ceil(said / LEAST_BYTES) +
      Math.ceil(listed / (ownTools ? LEAST_BYTES_OF_OWN_TOOLS : LEAST_BYTES)) +
      pictures * perPicture +
      ADDED_TOKENS,
    outputTokens: longestAnswerOf(model, request),
  };
}

/** On Anthropic's API every request states the limit; on OpenAI's the model's own bound applies without one. */
function longestAnswerOf(model: Pick<Model, "name" | "provider">, request: ModelRequest): number {
  if (model.provider === "anthropic") return longestOfMessages(model.name, request);
  return request.maxOutputTokens ?? longestAnswer(model.name);
}

/** The length of a picture's base64 says nothing about its tokens. */
function withoutPictures(message: ModelMessage): object {
  if (message.role === "tool") return { ...message, image: undefined };
  if (message.role !== "user" || typeof message.content === "string") return message;
  return { ...message, content: message.content.filter(({ type }) => type !== "image") };
}

function picturesOf(message: ModelMessage): number {
  if (message.role === "tool") return message.image ? 1 : 0;
  if (message.role !== "user" || typeof message.content === "string") return 0;
  return message.content.filter(({ type }) => type !== "text").length;
}
