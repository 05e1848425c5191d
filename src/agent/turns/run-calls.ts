import { taskEvents, type TurnCall } from "#src/domain/agent-work/tasks/index.ts";
import type { ToolCall } from "#src/models/model.ts";
import type { McpInput } from "#src/platform/mcp-client/mcp-client.ts";
import { scrubValue } from "../scrubbing/scrub.ts";
import { findTool, mayChange } from "../tools/index.ts";
import { followTool, resumeTool, runTool, type ToolOutcome } from "../tools/run-tool.ts";
import type { CallProgress, ToolContext, ToolServices } from "../tools/tool.ts";
import { toEventResult } from "../tools/to-event-result.ts";
import { toModelText } from "../tools/to-model-text.ts";
import { describeCall } from "./describe-call.ts";
import { followCall } from "./follow-call.ts";
import { WaitingError } from "./gate.ts";
import type { Refusal } from "./refusal.ts";
import { runAsking, withTold } from "./run-asking.ts";
import { ShownProgress } from "./shown-progress.ts";
import type { TurnContext } from "./turn-context.ts";
import type { RecordedResult } from "./turn-records.ts";

/**
 * Runs adjacent read-only calls in parallel, all others in order. If one of them has to wait for an approval or a server, the
 * others are finished first.
 */
export async function runCalls(turn: TurnContext, calls: readonly ToolCall[]): Promise<TurnCall[]> {
  const done: TurnCall[] = [];
  for (const group of groupCalls(calls, turn.calls.tools)) {
    const offset = done.length;
    const results = await Promise.allSettled(
      group.map((call, position) => runCall(turn, call, { index: offset + position, total: calls.length })),
    );
    const failures: unknown[] = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason] : [],
    );
    const waits = failures.filter((error) => error instanceof WaitingError);
    if (waits.length < failures.length) throw failures.find((error) => !(error instanceof WaitingError));
    if (waits.length > 0) throw WaitingError.forFirst(waits);
    done.push(...results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
  }
  return done;
}

function groupCalls(calls: readonly ToolCall[], tools: Pick<ToolServices, "foreign">): ToolCall[][] {
  const groups: { parallel: boolean; calls: ToolCall[] }[] = [];
  for (const call of calls) {
    const parallel = findTool(call.name, tools)?.effect === "read";
    const last = groups.at(-1);
    if (parallel && last?.parallel) last.calls.push(call);
    else groups.push({ parallel, calls: [call] });
  }
  return groups.map((group) => group.calls);
}

async function runCall(
  turn: TurnContext,
  call: ToolCall,
  place: { index: number; total: number },
): Promise<TurnCall> {
  // The tool receives the arguments as the model wrote them; what is stored and shown is scrubbed.
  const known = await turn.secrets.known();
  const shown = describeCall(call, known);
  const { id, name, parameters } = shown;
  const described = { iteration: turn.iteration, ...place, id, name, parameters };
  const recorded = turn.log.records.resultOf(call.id) ?? (await runOnce(turn, call, described));
  return { ...shown, result: recorded.result, model_text: recorded.modelText };
}

async function runOnce(
  turn: TurnContext,
  call: ToolCall,
  described: Parameters<typeof taskEvents.toolStart>[0],
): Promise<RecordedResult> {
  const { records, writer } = turn.log;
  const { tools, gate, questions, beforeChange } = turn.calls;
  const wasStarted = records.wasStarted(call.id);
  // A call that was started has passed the gate.
  const entry = wasStarted
    ? undefined
    : await gate.enter({ ...described, arguments: call.arguments }, records);
  if (entry && !entry.allowed) return recordOutcome(turn, call, described, refusal(entry));
  if (mayChange(call.name) && !tools.readOnly) {
    const refused = await beforeChange({ begun: wasStarted });
    if (refused) return recordOutcome(turn, call, described, refusal(refused));
  }
  // Some providers repeat ids in later turns.
  const callId = `${turn.iteration}:${call.id}`;
  const effect = findTool(call.name, tools)?.effect ?? "read";
  if (!wasStarted) {
    writer.add({ events: [taskEvents.toolStart(described)], records: [records.recordStart(call.id)] });
    // A call that must not run twice starts only after its start is durable.
    if (effect === "other") await writer.flush();
    tools.signal.throwIfAborted();
  }
  const shown = new ShownProgress(turn, described);
  const report = (progress: CallProgress) => shown.take(progress);
  const deferred = records.deferredOf(call.id);
  const left = records.inputOf(call.id);
  // A call that its server goes on with was not lost, nor one that waits for answers, unless it was made again with them.
  const isLost = wasStarted && effect === "other" && !deferred && (!left || left.wasSent);
  const held: string[] = [];
  const [open, over]: [Promise<unknown>[], AbortController] = [[], new AbortController()];
  const onQuestion: ToolContext["onQuestion"] = async (question) => {
    const number = open.length + 1;
    const holding = questions.hold(described, { ...question, number, over: over.signal }, records);
    open.push(holding);
    const { answer, told } = await holding;
    held.push(told);
    return answer;
  };
  const context = { ...tools, callId, report };
  const run = (input: McpInput | undefined) => runTool(call, { ...context, input, onQuestion });
  const made = () =>
    deferred
      ? followCall(turn, described, deferred, (request) => followTool(call, context, request))
      : runAsking(turn, described, left?.pending, run);
  if (isLost) await questions.withdraw(described);
  const outcome = isLost
    ? await resumeTool(call, context)
    : await made().finally(() => {
        shown.end();
        over.abort();
      });
  // A question whose call has ended is withdrawn before the result is told.
  await Promise.allSettled(open);
  if ("cause" in outcome) turn.toolFailed(call.name, outcome.cause);
  return recordOutcome(turn, call, described, withTold(outcome, held));
}

/** Records the outcome of a call, scrubbed, for the model, the log and the database. */
async function recordOutcome(
  { log: { records, writer }, secrets, calls: { tools } }: TurnContext,
  call: ToolCall,
  described: Parameters<typeof taskEvents.toolStart>[0],
  outcome: Pick<ToolOutcome, "success" | "result">,
): Promise<RecordedResult> {
  const known = await secrets.knownAfter({ arguments: call.arguments, mayChange: mayChange(call.name) });
  const scrubbed = scrubValue(outcome.result, known);
  const result = { success: outcome.success, ...toEventResult(scrubbed) };
  const recorded: RecordedResult = {
    result,
    modelText: toModelText(scrubbed, findTool(call.name, tools)?.resultTokens),
  };
  const events = [taskEvents.toolResult(described, result)];
  if (!scrubbed.success) events.push(taskEvents.toolError(described, scrubbed.error));
  else if (call.name === "update_plan") events.push(taskEvents.planUpdate(call.id, result));
  writer.add({
    events,
    records: [records.recordResult(call.id, recorded)],
  });
  // The last result is written together with the end of the turn.
  if (described.index < described.total - 1) await writer.flush();
  return recorded;
}

function refusal({ error, suggestion, denied }: Refusal) {
  return {
    success: false,
    result: { success: false, error, suggestion, ...(denied && { denied }) },
  } as const;
}
