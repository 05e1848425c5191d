import type { ChatSummary } from "#src/domain/agent-work/tasks/index.ts";
import { spoken, type HistoryMessage } from "./transcript.ts";
import type { Compaction } from "./compaction.ts";

/** A message with its sequence number in the chat. */
export interface PlacedMessage extends HistoryMessage {
  seq: number;
}

/**
 * The summary that a task's compaction leaves for the chat's later tasks. Undefined when there is no summary, or when
 * the summary contains turns of the task: the task's answer already shows those, and they may be undone.
 */
export function chatSummary(
  history: readonly PlacedMessage[],
  { summary, keptHistory, throughIteration, failures }: Compaction,
): ChatSummary | undefined {
  if (summary === "" || keptHistory === null || throughIteration > 0 || failures > 0) return undefined;
  const said = spoken(history);
  const firstKept = said[said.length - keptHistory];
  // A question and its answer share a sequence number, so both are kept or neither.
  const through = history.findLast(({ seq }) => firstKept === undefined || seq < firstKept.seq)?.seq;
  return through === undefined ? undefined : { summary, through };
}
