import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { atMostHigh, THINKING_TOKENS, type ThinkingEffort } from "../thinking.ts";

type Body = Pick<MessageCreateParamsStreaming, "thinking" | "output_config">;

/** How thinking is requested from a family of models. */
interface Family {
  name: RegExp;
  /**
   * `adaptive`: the request sets an effort, and the model finds the number of tokens; `budget`: the request sets the
   * number.
   */
  way: "adaptive" | "budget";
  /** Whether it supports the effort `xhigh`. */
  knowsXhigh?: boolean;
  /** Most tokens of its answers, thinking included. */
  maxTokens: number;
}

/**
 * The first match counts. Requests to other models, including other vendors', contain no setting: most refuse unknown
 * parameters. Sources: https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking,
 * https://platform.claude.com/docs/en/build-with-claude/effort,
 * https://platform.claude.com/docs/en/about-claude/models/overview
 */
const FAMILIES: readonly Family[] = [
  { name: /claude-(opus|sonnet)-4-6(?!\d)|claude-mythos-preview/u, way: "adaptive", maxTokens: 64_000 },
  { name: /claude-[a-z]+-4-[7-9](?!\d)/u, way: "adaptive", knowsXhigh: true, maxTokens: 64_000 },
  { name: /claude-[a-z]+-[5-9](?!\d)/u, way: "adaptive", knowsXhigh: true, maxTokens: 64_000 },
  { name: /claude-[a-z]+-4-5(?!\d)|claude-sonnet-4|claude-3-7/u, way: "budget", maxTokens: 64_000 },
  { name: /claude-opus-4/u, way: "budget", maxTokens: 32_000 },
];

/** Tokens that remain for the answer itself, at least. */
const ANSWER_TOKENS = 8_000;

/** Smallest thinking budget. Source: https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const LEAST_BUDGET = 1_024;

export interface Thinking {
  body: Body;
  /** Tokens of thinking, in addition to those of the answer; their sum stays below `most`. */
  tokens: number;
  most: number;
}

/**
 * Returns the thinking settings of a request; undefined for the model's default. `goesOn` says that the request
 * continues a turn whose thinking is missing: with a budget, the API then refuses thinking. `room` bounds thinking and
 * answer together, if given.
 */
export function toThinking(
  model: string,
  effort: ThinkingEffort | undefined,
  { goesOn, room = Number.POSITIVE_INFINITY }: { goesOn: boolean; room?: number | undefined },
): Thinking | undefined {
  const family = FAMILIES.find(({ name }) => name.test(model.toLowerCase().replaceAll(".", "-")));
  if (!effort || !family) return undefined;
  const tokens = THINKING_TOKENS[effort];
  const most = family.maxTokens;
  if (family.way === "adaptive") {
    const told = family.knowsXhigh ? effort : atMostHigh(effort);
    // The newest models omit the text of their thinking unless the request asks for it.
    const body: Body = {
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: told },
    };
    return { body, tokens, most };
  }
  if (goesOn) return undefined;
  const budget = Math.min(tokens, Math.min(most, room) - ANSWER_TOKENS);
  if (budget < LEAST_BUDGET) return undefined;
  return { body: { thinking: { type: "enabled", budget_tokens: budget } }, tokens: budget, most };
}
