import type { Turn } from "#src/domain/agent-work/tasks/index.ts";
import type { ModelUsage } from "#src/models/model.ts";
import { describeCall } from "./describe-call.ts";
import type { RunSecrets } from "./scrubbing/run-secrets.ts";
import type { TurnRecords } from "./turn-records.ts";

/** The current turn: its records, and the text shown of an answer that has not ended. */
export interface OpenTurn {
  records: TurnRecords;
  said: string;
}

/**
 * Returns a turn that was stopped in the middle: its text so far and the calls that had begun. `used` is the usage of
 * the model. Undefined for a turn that had said and done nothing.
 */
export async function stoppedTurn(
  { records, said }: OpenTurn,
  used: ModelUsage | undefined,
  secrets: Pick<RunSecrets, "known">,
): Promise<Turn | undefined> {
  const { answer } = records;
  const text = answer?.text ?? said;
  const begun = (answer?.toolCalls ?? []).filter(({ id }) => records.wasStarted(id) || records.resultOf(id));
  if (text === "" && begun.length === 0) return undefined;
  const known = begun.length > 0 ? await secrets.known() : undefined;
  return {
    iteration: records.iteration,
    thought: answer?.thought || null,
    response_text: text,
    tool_calls: known
      ? begun.map((call) => {
          const { result, modelText } = records.resultOf(call.id) ?? STOPPED;
          return { ...describeCall(call, known), result, model_text: modelText };
        })
      : [],
    is_complete: false,
    timestamp: new Date().toISOString(),
    kept: null,
    usage: answer?.usage ??
      used ?? { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0 },
  };
}

const STOPPED = {
  result: { success: false, error: "The task was stopped while the call ran; its outcome is unknown." },
  modelText: "",
};
