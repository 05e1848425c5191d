import { taskEvents, type Turn } from "#src/domain/agent-work/tasks/index.ts";
import { askModel, type Broken } from "./ask-model.ts";
import { runCalls } from "./run-calls.ts";
import type { TurnContext } from "./turn-context.ts";
import type { Answer } from "./turn-records.ts";

export type TurnOutcome = { kind: "done"; turn: Turn; answer: Answer } | Broken;

/**
 * Runs one turn: asks the model, runs the calls it makes, and returns what happened. All that an earlier executor recorded of
 * the turn is reused, not repeated. What breaks it off is a `ModelError`, a `WaitingError` when a call needs an approval, or
 * the signal's reason when the task is stopped.
 */
export async function runTurn(turn: TurnContext): Promise<TurnOutcome> {
  const recorded = turn.log.records.answer;
  const asked = recorded ? ({ kind: "answered", answer: recorded } as const) : await askModel(turn);
  if (asked.kind === "broken") return asked;
  const { answer } = asked;
  try {
    return { kind: "done", turn: await finishTurn(turn, answer), answer };
  } catch (error) {
    return { kind: "broken", error, usage: answer.usage, said: answer.text };
  }
}

/** Runs the calls of an answer, and logs the turn's end. */
async function finishTurn(turn: TurnContext, answer: Answer): Promise<Turn> {
  const { records, writer } = turn.log;
  const toolCalls = await runCalls(turn, answer.toolCalls);
  const done: Turn = {
    iteration: turn.iteration,
    thought: answer.thought || (toolCalls.length > 0 && answer.text) || null,
    response_text: answer.text,
    tool_calls: toolCalls,
    is_complete: toolCalls.length === 0,
    timestamp: new Date().toISOString(),
    kept: answer.kept,
    usage: answer.usage,
  };
  // Logged before the turn is stored, in one write with the record of its end: so the event is written exactly once,
  // whether or not a later executor finds the turn stored.
  if (!records.ended) {
    writer.add({ events: [taskEvents.agentStep(done)], records: [records.recordEnd()] });
  }
  await writer.flush();
  return done;
}
