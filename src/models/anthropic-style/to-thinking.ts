import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { atMostHigh, THINKING_TOKENS, type ThinkingEffort } from "../thinking.ts";

type Body = Pick<MessageCreateParamsStreaming, "thinking" | "output_config">;

/** How a family of models is asked to think. */
interface Family {
  name: RegExp;
  /** `adaptive`: it is told an effort, and finds the number of tokens itself; `budget`: it is told the number. */
  way: "adaptive" | "budget";
  /** Whether it knows the effort `xhigh`. */
  knowsXhigh?: boolean;
  /** Most tokens of its answers, thinking included. */
  maxTokens: number;
}

/**
 * The first that matches counts. Models that are not here, other vendors' among them, are told nothing: most refuse a parameter
 * they do not know. Sources: https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking,
 * https://platform.claude.com/docs/en/build-with-claude/effort, https://platform.claude.com/docs/en/about-claude/models/overview
 */
const FAMILIES: readonly Family[] = [
  { name: /claude-(opus|sonnet)-4-6(?!\d)|claude-mythos-preview/u, way: "adaptive", maxTokens: 64_000 },
  { name: /claude-[a-z]+-4-[7-9](?!\d)/u, way: "adaptive", knowsXhigh: true, maxTokens: 64_000 },
  { name: /claude-[a-z]+-[5-9](?!\d)/u, way: "adaptive", knowsXhigh: true, maxTokens: 64_000 },
  { name: /claude-[a-z]+-4-5(?!\d)|claude-sonnet-4|claude-3-7/u, way: "budget", maxTokens: 64_000 },
  { name: /claude-opus-4/u, way: "budget", maxTokens: 32_000 },
];

/** Least tokens that are left for the answer itself. */
const ANSWER_TOKENS = 8_000;

/** Least tokens that a model may be told to think with. Source: https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const LEAST_BUDGET = 1_024;

export interface Thinking {
  body: Body;
  /** Tokens of thinking, to be added to those of the answer; both together stay below `most`. */
  tokens: number;
  most: number;
}

/**
 * What a request says of thinking; undefined where the model is to be left alone. `goesOn` is whether the request goes on with a
 * turn whose thinking is not there: where it is told a number, a model then refuses to think. `room` is a bound of thinking and
 * answer together, where there is one.
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
    // The newest models leave the text of what they think empty unless asked for it.
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
