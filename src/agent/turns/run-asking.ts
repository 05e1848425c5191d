import type { McpInput } from "#src/platform/mcp-client/mcp-client.ts";
import { Deferred } from "../tools/deferred.ts";
import { NeedsInput } from "../tools/needs-input.ts";
import type { ToolOutcome } from "../tools/run-tool.ts";
import { failure } from "../tools/tool.ts";
import { newDeferred, shownOf, waitFor } from "./deferred-call.ts";
import type { AskingCall } from "./input-questions.ts";
import type { TurnContext } from "./turn-context.ts";
import { roundOf, type PendingInput } from "./turn-records.ts";

/**
 * Runs a call, and runs it again with a person's answers as often as its server needs some. What it needs is recorded before
 * anybody is asked, and that the answers go out before they do: no executor sends them twice for a call with an effect. Throws
 * `WaitingError` while a question is open, and where the server goes on with the call by itself, which is recorded before.
 */
export async function runAsking(
  turn: TurnContext,
  call: AskingCall,
  left: PendingInput | undefined,
  run: (input: McpInput | undefined) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { records, writer } = turn.log;
  const { questions } = turn.calls;
  let pending = left;
  let told: string[] = [];
  for (;;) {
    let input: McpInput | undefined;
    if (pending) {
      const given = await questions.answersTo(call, pending, records);
      input = given.input;
      told = [...pending.told, ...given.told];
      if (!input) return withTold(REFUSED, told);
      writer.add({ records: [records.recordStart(roundOf(call.id, pending.round))] });
      await writer.flush();
    }
    try {
      return withTold(await run(input), told);
    } catch (error) {
      if (error instanceof Deferred) {
        const deferred = newDeferred(call.name, error, { told, rounds: pending?.round ?? 0 });
        throw await waitFor(turn, call, await shownOf(turn, call, deferred, error.task.message));
      }
      if (!(error instanceof NeedsInput)) throw error;
      const needed = await questions.read(error, { before: pending, told });
      if (typeof needed === "string") return withTold({ success: false, result: failure(needed) }, told);
      pending = needed;
      writer.add({ records: [records.recordInput(call.id, pending)] });
      await writer.flush();
    }
  }
}

const REFUSED: ToolOutcome = {
  success: false,
  result: failure(
    "The server refuses the call until the user has opened its address, which they did not do.",
  ),
};

/** The outcome with what became of its server's questions, for the model. */
export function withTold(outcome: ToolOutcome, told: readonly string[]): ToolOutcome {
  return told.length === 0 ? outcome : { ...outcome, result: { ...outcome.result, questions: told } };
}
