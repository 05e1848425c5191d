import type { Cost } from "./cost.ts";

/** A model call as it is noted: what answered, and what that took. */
export interface ModelCall {
  purpose: "agent" | "compaction" | "title" | "proxy";
  /**
   * Which of its task's calls for that purpose it is: for a turn the turn's number, else counted from 1. With task and purpose
   * it makes a repeated statement harmless; of a call without a task it says nothing.
   */
  number: number;
  provider: string;
  /** Id as it was asked for, prefix included. */
  model: string;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  cost: Cost;
  /** On a person's own key: it costs no credits. */
  isByok: boolean;
  /** What was reserved for it; of a call without, whatever its task holds is released. */
  reservation?: string | undefined;
}

/** What a call cost. */
export interface Charged {
  usageId: string;
  /** In US cents, which are credits. */
  cost: number;
  /** Credits that were taken; fewer than the cost where there were no more. */
  deducted: number;
  /** Credits that are left; null where none were taken. */
  balance: number | null;
}
