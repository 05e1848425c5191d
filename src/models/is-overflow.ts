import type { ToldError } from "./error-body.ts";

/** Codes of OpenAI, llama.cpp and gateways. */
const CODES = /context_length_exceeded|exceed_context_size|request_too_large|context_window_exceeded/u;

/**
 * What providers say of a request that is too long for the model, one line for each way to say it. Sources: each
 * provider's own server or reference: OpenAI, Anthropic, vLLM, SGLang, Ollama, llama.cpp, Gemini, Mistral, xAI, Bedrock,
 * Groq, Fireworks, Z.AI, Moonshot, Cohere.
 */
const SENTENCES = [
  /context (length|window|size|limit)/u,
  /maximum (model|prompt) length/u,
  /(prompt|input|conversation) (is|was) too (long|large)/u,
  /prompt too long|prompt exceeds|prompt contains \d+ tokens/u,
  /too many (input )?tokens/u,
  /input (token count|length)\b.*\bexceed/u,
  /exceed(s|ed)? (the )?(context|model('s)? (token|context)|(maximum|max) (number of )?(input )?tokens)/u,
  /exceeded model token limit/u,
  // A request that is larger than all that a minute allows: waiting does not help.
  /request too large for/u,
];

/** Statuses whose reason lies elsewhere, whatever the sentence says. */
const OTHER_REASONS: ReadonlySet<number> = new Set([401, 402, 403, 404]);

/** Whether a provider refuses a request because the conversation is too long. */
export function isOverflow(status: number | undefined, { sentence = "", codes }: ToldError): boolean {
  if (status !== undefined && OTHER_REASONS.has(status)) return false;
  const said = sentence.toLowerCase();
  // "Too many tokens" of a rate is no overflow: waiting helps.
  if (status === 429) return CODES.test(codes) || /request too large for/u.test(said);
  return CODES.test(codes) || SENTENCES.some((each) => each.test(said));
}
