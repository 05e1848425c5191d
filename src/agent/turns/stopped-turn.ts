import type { Turn } from "#src/domain/agent-work/tasks/index.ts";
import type { ModelCall } from "#src/domain/metering/usage/index.ts";
import { describeCall } from "./describe-call.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";
import type { TurnRecords } from "./turn-records.ts";

/** A turn that is not stored yet. */
export interface OpenTurn {
  records: TurnRecords;
  /** The text shown of an answer that has not ended. */
  said: string;
  /** Its model call, once there is one. */
  call: ModelCall | undefined;
}

/**
 * Returns a turn that was stopped in the middle: its text so far and the calls that had begun. Undefined for a turn that had said and done nothing.
 */
export async function stoppedTurn(
  { records, said, call }: OpenTurn,
  secrets: Pick<RunSecrets, "known">,
): Promise<Turn | undefined> {
  const { answer } = records;
  const text = answer?.text ?? said;
  const begun = (answer?.toolCalls ?? []).filter(({ id }) => records.wasStarted(id) || records.resultOf(id));
  if (text === "" && begun.length === 0) return undefined;
  const {
    inputTokens = 0,
    outputTokens = 0,
    cachedInputTokens = 0,
    cacheWriteTokens = 0,
  } = answer?.usage ?? call ?? {};
  const known = begun.length > 0 ? await secrets.known() : undefined;
  return {
    iteration: records.iteration,
    thought: answer?.thought || null,
    response_text: text,
    tool_calls: known
      ? begun.map((each) => {
          const { result, modelText } = records.resultOf(each.id) ?? STOPPED;
          return { ...describeCall(each, known), result, model_text: modelText };
        })
      : [],
    is_complete: false,
    timestamp: new Date().toISOString(),
    kept: null,
    usage: { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens },
  };
}

const STOPPED = {
  result: { success: false, error: "The task was stopped while the call ran; its outcome is unknown." },
  modelText: "",
};
