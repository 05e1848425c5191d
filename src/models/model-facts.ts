import { THINKING_TOKENS, type ThinkingEffort } from "./thinking.ts";

/** Facts about a family of models. */
interface Family {
  /** Matches the bare name, in lower case, with hyphens for dots: `claude-sonnet-4-6`. The first match counts. */
  name: RegExp;
  /** Size of its window, in tokens of input. */
  window: number;
  /** Whether it accepts pictures. */
  vision: boolean;
  /** Most tokens of an answer, thinking included; defaults to `DEFAULT_ANSWER`. */
  answer?: number;
}

/** Window of an unknown model: nearly every model since 2024 has it. */
const DEFAULT_WINDOW = 128_000;

/** Longest answer of a model without its own value: the maximum of large models. */
const DEFAULT_ANSWER = 128_000;

/**
 * Where hosts differ, the smaller number: too small a window costs a summary, too large a window a failed call. The
 * demo model is a script that ignores pictures.
 */
const FAMILIES: readonly Family[] = [
  // https://platform.claude.com/docs/en/about-claude/models/overview
  { name: /claude-(opus|sonnet)-4-[6-9](?!\d)/u, window: 1_000_000, vision: true },
  { name: /claude-[a-z]+-[5-9](?!\d)/u, window: 1_000_000, vision: true },
  { name: /claude/u, window: 200_000, vision: true },
  // https://platform.openai.com/docs/models: of the 400,000 tokens of GPT-5, 128,000 are kept for the answer.
  { name: /gpt-5-chat/u, window: 128_000, vision: true, answer: 16_384 },
  { name: /gpt-5-pro/u, window: 272_000, vision: true, answer: 272_000 },
  { name: /gpt-[5-9]/u, window: 272_000, vision: true },
  { name: /gpt-4-1/u, window: 1_047_576, vision: true, answer: 32_768 },
  { name: /gpt-4o|gpt-4-turbo/u, window: 128_000, vision: true, answer: 16_384 },
  { name: /gpt-4/u, window: 8_192, vision: false, answer: 8_192 },
  { name: /gpt-3-5/u, window: 16_385, vision: false, answer: 16_385 },
  { name: /^o1-(mini|preview)/u, window: 128_000, vision: false },
  { name: /^o3-mini/u, window: 200_000, vision: false, answer: 100_000 },
  { name: /^o[1-9]/u, window: 200_000, vision: true, answer: 100_000 },
  // https://ai.google.dev/gemini-api/docs/models
  { name: /gemini/u, window: 1_048_576, vision: true, answer: 65_536 },
  // https://docs.x.ai/docs/models
  { name: /grok-code/u, window: 256_000, vision: false, answer: 256_000 },
  { name: /grok-[4-9]/u, window: 256_000, vision: true, answer: 256_000 },
  // https://docs.z.ai/guides/overview/overview
  { name: /glm-[\d-]+v/u, window: 64_000, vision: true },
  { name: /glm-(4-[67]|5)/u, window: 200_000, vision: false },
  // https://platform.moonshot.ai/docs/introduction
  { name: /kimi-k2-[5-9](?!\d)/u, window: 262_144, vision: true, answer: 262_144 },
  // https://github.com/QwenLM/Qwen3-Coder, https://github.com/QwenLM/Qwen3-VL
  { name: /qwen3-coder/u, window: 262_144, vision: false, answer: 262_144 },
  { name: /qwen.*-vl/u, window: DEFAULT_WINDOW, vision: true },
  // https://www.llama.com/docs/model-cards-and-prompt-formats/llama4/, https://docs.mistral.ai/getting-started/models/
  { name: /llama-4|pixtral|mistral-(small|medium)-3/u, window: DEFAULT_WINDOW, vision: true },
  { name: /^demo$/u, window: DEFAULT_WINDOW, vision: true },
];

/** Returns a model's window in tokens, by its name in any form that a client writes; 128,000 for an unknown model. */
export function contextWindow(modelName: string): number {
  return familyOf(modelName)?.window ?? DEFAULT_WINDOW;
}

/**
 * Returns the window without the tokens for thinking, which count against it; thinking takes at most a quarter of a
 * small window.
 */
export function windowBeside(modelName: string, effort: ThinkingEffort | undefined): number {
  const window = contextWindow(modelName);
  return effort ? window - Math.min(THINKING_TOKENS[effort], Math.floor(window / 4)) : window;
}

/**
 * Returns the most tokens of a model's answer, thinking included, without a limit in the request; 128,000 for an
 * unknown model.
 */
export function longestAnswer(modelName: string): number {
  return familyOf(modelName)?.answer ?? DEFAULT_ANSWER;
}

/** Whether a model accepts pictures; false for an unknown model. */
export function supportsVision(modelName: string): boolean {
  return familyOf(modelName)?.vision ?? false;
}

/** `openrouter/anthropic/claude-3.5-sonnet:beta` belongs to the family `claude-3-5-sonnet`. */
function familyOf(modelName: string): Family | undefined {
  const bare = modelName
    .slice(modelName.lastIndexOf("/") + 1)
    .toLowerCase()
    .replaceAll(".", "-");
  return FAMILIES.find(({ name }) => name.test(bare));
}
