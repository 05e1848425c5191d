import type {
  ContentBlockParam,
  RedactedThinkingBlockParam,
  TextBlockParam,
  ThinkingBlockParam,
  ToolUseBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import { z } from "zod";

/** Blocks of thinking, which must be returned as received. Some compatible servers do not sign them. */
export const THINKING_BLOCKS = [
  z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string().default("") }),
  z.object({ type: z.literal("redacted_thinking"), data: z.string() }),
] as const;

/**
 * The blocks of an answer in their order: blocks of thinking whole, of the others, which are stored elsewhere, only
 * their places. The order must not change. Source:
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks
 */
const AnswerOrder = z.array(
  z.discriminatedUnion("type", [
    ...THINKING_BLOCKS,
    z.object({ type: z.literal("text"), chars: z.int() }),
    z.object({ type: z.literal("tool_use") }),
  ]),
);
export type AnswerOrder = z.infer<typeof AnswerOrder>;

/** Whether an answer contains blocks that must be returned. */
export function hasThinking(order: AnswerOrder): boolean {
  return order.some(({ type }) => type === "thinking" || type === "redacted_thinking");
}

type AnswerBlock = Extract<
  ContentBlockParam,
  ThinkingBlockParam | RedactedThinkingBlockParam | TextBlockParam | ToolUseBlockParam
>;

/**
 * Returns an answer's blocks in their order. A text that has changed since, because secrets were removed, replaces the
 * first piece as a whole. Without a readable order: text, then calls.
 */
export function inOrder(
  kept: unknown,
  text: string,
  calls: readonly ToolUseBlockParam[],
  toText: (text: string) => TextBlockParam[],
): AnswerBlock[] {
  const order = AnswerOrder.safeParse(kept).data ?? [];
  const chars = order.reduce((sum, piece) => sum + (piece.type === "text" ? piece.chars : 0), 0);
  const waiting = [...calls];
  let rest = text;
  const blocks = order.flatMap((piece): AnswerBlock[] => {
    if (piece.type === "tool_use") return waiting.splice(0, 1);
    if (piece.type !== "text") return [piece];
    const end = chars === text.length ? piece.chars : rest.length;
    const shown = rest.slice(0, end);
    rest = rest.slice(end);
    return toText(shown);
  });
  return [...blocks, ...toText(rest), ...waiting];
}
