import { longestAnswer as longestOfMessages } from "./anthropic-style/to-request.ts";
import { longestAnswer } from "./model-facts.ts";
import type { Model, ModelMessage, ModelRequest, ModelUsage } from "./model.ts";

/**
 * Bytes of a token, at least, whoever wrote the text: tokens are made of bytes, and none is of less than one. On average one
 * has about four. Source: https://github.com/openai/tiktoken ("the token sequence is shorter than the bytes")
 */
const LEAST_BYTES = 1;

/**
 * The same of the service's own descriptions of its tools, which nobody else can change: English and JSON, of which every
 * tokenizer makes tokens of three to four bytes.
 */
const LEAST_BYTES_OF_OWN_TOOLS = 2;

/**
 * What a provider adds of its own: at most 804 tokens, with tools.
 * Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview#pricing
 */
const ADDED_TOKENS = 1_000;

/**
 * Tokens of one picture, at most: 2,833 and 5,667 for each of at most eight tiles with GPT-4o mini; others stay below
 * 10,000. Source: https://platform.openai.com/docs/guides/images-vision#calculating-costs
 */
const PICTURE_TOKENS = { "gpt-4o-mini": 50_000, other: 10_000 };

/** Tokens that a call takes at most. The provider's count is never more, unless it breaks its own bounds. */
export function worstUsage(
  model: Pick<Model, "name" | "provider">,
  request: ModelRequest,
  { ownTools }: { ownTools: boolean },
): Pick<ModelUsage, "inputTokens" | "outputTokens"> {
  const { system, messages, tools, options } = request;
  // As JSON, texts only grow, and names and separators are in it, too.
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

/** On Anthropic's wire every request says it; on the other one the model's own bound holds where none is asked for. */
function longestAnswerOf(model: Pick<Model, "name" | "provider">, request: ModelRequest): number {
  if (model.provider === "anthropic") return longestOfMessages(model.name, request);
  return request.maxOutputTokens ?? longestAnswer(model.name);
}

/** What a picture weighs says nothing of its tokens. */
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
