/** How much a model should think before it answers. */
export const THINKING_EFFORTS = ["low", "medium", "high", "xhigh"] as const;
export type ThinkingEffort = (typeof THINKING_EFFORTS)[number];

/** Tokens of thinking for models with a budget; thinking counts as output. */
export const THINKING_TOKENS: Readonly<Record<ThinkingEffort, number>> = {
  low: 4_000,
  medium: 8_000,
  high: 16_000,
  xhigh: 32_000,
};

/** For models with only three efforts. */
export function atMostHigh(effort: ThinkingEffort): Exclude<ThinkingEffort, "xhigh"> {
  return effort === "xhigh" ? "high" : effort;
}
