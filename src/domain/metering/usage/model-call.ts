import type { Cost } from "./cost.ts";

/** A model call as it is recorded: the model and its usage. */
export interface ModelCall {
  purpose: "agent" | "compaction" | "title" | "proxy";
  /**
   * The call's number among those of its task and purpose: for a turn the turn's number, otherwise counted from 1.
   * Together with task and purpose it makes a repeated statement idempotent. Without a task it has no meaning.
   */
  number: number;
  provider: string;
  /** The requested model id, prefix included. */
  model: string;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  cost: Cost;
  /** Whether the call used a person's own key, which costs no credits. */
  isByok: boolean;
  /** Id of the call's reservation; when absent, the task's reservations are released. */
  reservation?: string | undefined;
}

/** What a call cost. */
export interface Charged {
  usageId: string;
  /** In US cents, which equal credits. */
  cost: number;
  /** Credits that were taken; fewer than the cost if the team had no more. */
  deducted: number;
  /** Remaining credits; null if none were taken. */
  balance: number | null;
}
