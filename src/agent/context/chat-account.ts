import type { ChatAccount } from "#src/domain/agent-work/tasks/index.ts";
import { spoken, type HistoryMessage } from "../transcript.ts";
import type { Compaction } from "./compaction.ts";

/** A message with its sequence number in the chat. */
export interface PlacedMessage extends HistoryMessage {
  seq: number;
}

/**
 * What a task's compaction tells of the chat before it, for the tasks after it. Nothing where no summary was had, and where turns
 * of the task are in it, which are shown by its answer and may be undone.
 */
export function chatAccount(
  history: readonly PlacedMessage[],
  { summary, keptHistory, throughIteration, failures }: Compaction,
): ChatAccount | undefined {
  if (summary === "" || keptHistory === null || throughIteration > 0 || failures > 0) return undefined;
  const said = spoken(history);
  const firstKept = said[said.length - keptHistory];
  // Question and answer share a sequence number: where one is kept both are.
  const through = history.findLast(({ seq }) => firstKept === undefined || seq < firstKept.seq)?.seq;
  return through === undefined ? undefined : { summary, through };
}
