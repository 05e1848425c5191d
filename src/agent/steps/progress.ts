import type { Ending, Turn, TaskEnd } from "#src/domain/agent-work/tasks/index.ts";
import type { ModelCall } from "#src/domain/metering/usage/index.ts";
import { counted } from "#src/lib/counted.ts";
import type { ModelUsage } from "#src/models/model.ts";
import type { PastTurn } from "../turns/kept-parts.ts";
import type { Answer } from "../turns/turn-records.ts";
import { mayChange } from "../tools/index.ts";
import { workNote } from "../context/work-note.ts";

/** The last turn that is to be stored, and its model call. A call without a turn is that of a turn that came to nothing. */
export interface LastTurn {
  turn?: Turn | undefined;
  call: ModelCall | undefined;
}

/** What a task has done so far. */
export class Progress {
  readonly taskId: string;
  readonly generation: number;
  readonly turns: PastTurn[];

  constructor(taskId: string, generation: number, turns: PastTurn[]) {
    this.taskId = taskId;
    this.generation = generation;
    this.turns = turns;
  }

  get lastText(): string | null {
    return this.turns.findLast(({ response_text: text }) => text !== "")?.response_text ?? null;
  }

  /** Whether calls of earlier turns may have changed files. */
  get hasChangedFiles(): boolean {
    return this.turns.some((turn) => turn.tool_calls.some(({ name }) => mayChange(name)));
  }

  /** Tokens of all turns, including those of earlier executors. */
  #usageWith(open: ModelUsage | undefined): ModelUsage {
    const sum = (field: keyof ModelUsage) =>
      this.turns.reduce((total, { usage }) => total + usage[field], open?.[field] ?? 0);
    return {
      inputTokens: sum("inputTokens"),
      outputTokens: sum("outputTokens"),
      cachedInputTokens: sum("cachedInputTokens"),
      cacheWriteTokens: sum("cacheWriteTokens"),
    };
  }

  /**
   * State for the end of a turn or task. A call without a turn belongs to a turn that produced nothing; its tokens
   * count as well.
   */
  ending(last?: LastTurn): Ending {
    const { taskId, generation, turns } = this;
    const open = last?.turn ? undefined : last?.call;
    return {
      taskId,
      generation,
      iterations: turns.length,
      toolCalls: turns.reduce((sum, turn) => sum + turn.tool_calls.length, 0),
      turn: last?.turn,
      call: last?.call,
      totalUsage: this.#usageWith(open),
      work: workNote(turns),
    };
  }
}

export function failed(progress: Progress, completionReason: string, error: string): TaskEnd {
  return { status: "failed", response: progress.lastText, completionReason, error };
}

export function outOfCredits(progress: Progress): TaskEnd {
  const error = "The team has no credits left; what was done so far is kept";
  return failed(progress, "insufficient_credits", error);
}

function outOfTurns(progress: Progress): TaskEnd {
  const error = `The task did not end within ${counted(progress.turns.length, "turn")}`;
  return failed(progress, "max_iterations", error);
}

/**
 * Returns how the task ends after this turn; undefined for a task that goes on. An answer cut short because credits ran out
 * (`isBounded`) does not complete the task.
 */
export function endAfter(
  progress: Progress,
  { turn, answer }: { turn: Turn; answer: Answer },
  { isBounded, mostTurns }: { isBounded: boolean; mostTurns: number },
): TaskEnd | undefined {
  if (!turn.is_complete) return progress.turns.length < mostTurns ? undefined : outOfTurns(progress);
  const { finishReason } = answer;
  if (finishReason === "length" && isBounded) return outOfCredits(progress);
  return { status: "completed", response: turn.response_text, completionReason: finishReason };
}
