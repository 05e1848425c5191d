import type { api } from "@agent-workspace/client";

/** The messages of a chat that were read, oldest first. */
export interface ChatHistory {
  readonly messages: readonly api.ChatMessage[];
  /** Where the page before them begins; undefined when there is none. */
  readonly cursor: string | undefined;
}

/**
 * What is known once the newest page was read again: earlier pages stay while they border on it. Messages that were taken back
 * are no longer in the newest page, and go.
 */
export function withNewest(known: ChatHistory | undefined, newest: ChatHistory): ChatHistory {
  const [first] = newest.messages;
  const border = known?.messages.findIndex(({ id }) => id === first?.id) ?? -1;
  if (!known || border <= 0) return newest;
  return { messages: [...known.messages.slice(0, border), ...newest.messages], cursor: known.cursor };
}

/** What is known once the page before it was read. */
export function withEarlier(known: ChatHistory, earlier: ChatHistory): ChatHistory {
  return { messages: [...earlier.messages, ...known.messages], cursor: earlier.cursor };
}
