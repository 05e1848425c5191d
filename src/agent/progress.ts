import type { Ending, StepData, TaskEnd } from "#src/domain/tasks/index.ts";
import type { ModelCall } from "#src/domain/usage/index.ts";
import type { ModelUsage } from "#src/models/model.ts";
import type { PastTurn } from "./kept-parts.ts";
import { mayChange } from "./tools/index.ts";
import { workNote } from "./work-note.ts";

/** What a task has done so far. */
export class Progress {
  readonly taskId: string;
  readonly generation: number;
  readonly steps: PastTurn[];

  constructor(taskId: string, generation: number, steps: PastTurn[]) {
    this.taskId = taskId;
    this.generation = generation;
    this.steps = steps;
  }

  get lastText(): string | null {
    return this.steps.findLast(({ response_text: text }) => text !== "")?.response_text ?? null;
  }

  /** Whether calls of earlier turns may have changed files. */
  get hasChangedFiles(): boolean {
    return this.steps.some((step) => step.tool_calls.some(({ name }) => mayChange(name)));
  }

  /** Tokens of all turns, whoever executed them. */
  get #usage(): ModelUsage {
    const sum = (field: keyof ModelUsage) => this.steps.reduce((total, { usage }) => total + usage[field], 0);
    return {
      inputTokens: sum("inputTokens"),
      outputTokens: sum("outputTokens"),
      cachedInputTokens: sum("cachedInputTokens"),
      cacheWriteTokens: sum("cacheWriteTokens"),
    };
  }

  ending(last?: { step?: StepData | undefined; call: ModelCall | undefined }): Ending {
    const { taskId, generation, steps } = this;
    return {
      taskId,
      generation,
      iterations: steps.length,
      toolCalls: steps.reduce((sum, step) => sum + step.tool_calls.length, 0),
      step: last?.step,
      call: last?.call,
      totalUsage: this.#usage,
      work: workNote(steps),
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
