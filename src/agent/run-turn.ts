import { z } from "zod";
import { taskEvents, type StepData, type StepToolCall } from "#src/domain/tasks/index.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { storableText } from "#src/lib/storable-text.ts";
import { estimateUsage } from "#src/models/estimate-tokens.ts";
import type { KeptPart } from "#src/models/kept-part.ts";
import {
  ModelError,
  type Model,
  type ModelEvent,
  type ModelMessage,
  type ModelUsage,
  type ToolCall,
  type ToolDefinition,
} from "#src/models/model.ts";
import type { ThinkingEffort } from "#src/models/thinking.ts";
import { WaitingError, type Gate } from "./gate.ts";
import type { LogWriter } from "./log-writer.ts";
import type { RunSecrets } from "./scrubbing/run-secrets.ts";
import { scrubText, scrubValue, type KnownSecrets } from "./scrubbing/scrub.ts";
import { ScrubbedStream } from "./scrubbing/scrubbed-stream.ts";
import { headAndTail } from "./tools/bound-text.ts";
import { boundValue } from "./tools/bound-value.ts";
import { findTool, mayChange } from "./tools/index.ts";
import { runTool, type ToolOutcome } from "./tools/run-tool.ts";
import { toEventResult } from "./tools/to-event-result.ts";
import { toModelText } from "./tools/to-model-text.ts";
import type { ToolContext } from "./tools/tool.ts";
import type { Answer, RecordedResult, TurnRecords } from "./turn-records.ts";

const Parameters = z.record(z.string(), z.unknown());

/** Most characters of a turn's thinking that are shown. */
const THOUGHT_CHARS = 20_000;

export interface Turn {
  iteration: number;
  model: Model;
  system: string;
  definitions: readonly ToolDefinition[];
  /** How hard the model is asked to think; the model's own way where it is undefined. */
  effort?: ThinkingEffort | undefined;
  /** As `sealPart`. */
  seal: (part: KeptPart) => Promise<string | null>;
  /** Makes the model call with a conversation that fits; see `askWithinWindow`. */
  ask: <T>(call: (messages: ModelMessage[]) => Promise<T>) => Promise<T>;
  records: TurnRecords;
  writer: LogWriter;
  tools: ToolContext;
  /** What may be shown to nobody. */
  secrets: RunSecrets;
  gate: Pick<Gate, "enter">;
  /** Awaited before each call that does more than read; `begun` tells that an earlier executor had begun it. */
  beforeChange: (call: { begun: boolean }) => Promise<void>;
  /**
   * Told what the turn's model call took before anything is made of it: by the provider's count, or by estimate when it was stopped
   * or failed in the middle. Who stops a turn has had the model at work.
   */
  onModelUsed: (usage: ModelUsage) => void;
  /** Told of tool failures that nobody expected; may hold anything. */
  onToolFault: (tool: string, cause: unknown) => void;
}

export interface TurnOutcome {
  step: StepData;
  answer: Answer;
}

/**
 * One turn: ask the model, run the calls it makes, say what happened. What an earlier executor recorded of the turn is
 * taken over, not repeated. Throws `ModelError`, `WaitingError` when a call needs somebody's word, or the signal's reason when
 * the task is stopped.
 */
export async function runTurn(turn: Turn): Promise<TurnOutcome> {
  const answer = turn.records.answer ?? (await askModel(turn));
  turn.onModelUsed(answer.usage);
  const toolCalls = await runCalls(turn, answer.toolCalls);
  const step: StepData = {
    iteration: turn.iteration,
    thought: answer.thought || (toolCalls.length > 0 && answer.text) || null,
    response_text: answer.text,
    tool_calls: toolCalls,
    is_complete: toolCalls.length === 0,
    timestamp: new Date().toISOString(),
    kept: answer.kept,
    usage: answer.usage,
  };
  // In the log, in one write with the record that it is there, before the turn is stored: an executor that finds the turn
  // stored has no more to say of it, and one that does not says it once.
  if (!turn.records.ended) {
    turn.writer.add({ events: [taskEvents.agentStep(step)], records: [turn.records.recordEnd()] });
  }
  await turn.writer.flush();
  return { step, answer };
}

async function askModel(turn: Turn): Promise<Answer> {
  const known = await turn.secrets.known();
  return turn.ask((messages) => readAnswer(turn, messages, known));
}

async function readAnswer(
  turn: Turn,
  messages: readonly ModelMessage[],
  known: KnownSecrets,
): Promise<Answer> {
  const { iteration, model, system, definitions, effort, records, writer, tools } = turn;
  const request = { system, messages, tools: definitions, ...(effort && { effort }) };
  let shown = new ScrubbedStream(known);
  let received = "";
  tools.signal.throwIfAborted();
  try {
    for await (const event of model.stream(request, tools.signal)) {
      switch (event.type) {
        case "text_delta":
          received += event.text;
          writer.text(shown.push(event.text));
          break;
        case "restarted":
          shown = new ScrubbedStream(known);
          writer.add({ events: [taskEvents.turnRestarted(iteration, event.reason)] });
          break;
        case "finished": {
          writer.text(shown.end());
          const answer = storableAnswer({
            ...event,
            text: scrubText(event.text, known),
            thought: headAndTail(scrubText(event.thought ?? "", known), THOUGHT_CHARS),
            // Without calls no turn follows.
            kept: event.kept && event.toolCalls.length > 0 ? await turn.seal(event.kept) : null,
          });
          // From here on the answer stands: a later executor goes on with its calls and does not ask again. Without calls
          // the turn is over, and its end is written at once.
          writer.add({ records: [records.recordAnswer(answer)] });
          if (answer.toolCalls.length > 0) await writer.flush();
          return answer;
        }
      }
    }
  } catch (error) {
    const isUnsent = error instanceof ModelError && error.code === "insufficient_credits";
    if (received !== "" || (tools.signal.aborted && !isUnsent))
      turn.onModelUsed(estimateUsage(request, { text: received }));
    throw error;
  }
  throw new ModelError("bad_response", "The model's answer ended without its end", { retryable: false });
}

function storableAnswer({
  text,
  thought,
  kept,
  toolCalls,
  finishReason,
  usage,
}: Omit<Extract<ModelEvent, { type: "finished" }>, "kept" | "thought"> &
  Pick<Answer, "kept" | "thought">): Answer {
  const storable = toolCalls.map((call) => ({
    id: storableText(call.id),
    name: storableText(call.name),
    arguments: storableText(call.arguments),
  }));
  return { text: storableText(text), thought, kept, toolCalls: storable, finishReason, usage };
}

/**
 * Read-only calls that stand together run side by side; all others in order. Where one of them has to wait for somebody, its
 * neighbours are finished first.
 */
async function runCalls(turn: Turn, calls: readonly ToolCall[]): Promise<StepToolCall[]> {
  const done: StepToolCall[] = [];
  for (const group of groupCalls(calls)) {
    const offset = done.length;
    const results = await Promise.allSettled(
      group.map((call, position) => runCall(turn, call, { index: offset + position, total: calls.length })),
    );
    const failures: unknown[] = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason] : [],
    );
    if (failures.length > 0) throw failures.find((error) => !(error instanceof WaitingError)) ?? failures[0];
    done.push(...results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
  }
  return done;
}

function groupCalls(calls: readonly ToolCall[]): ToolCall[][] {
  const groups: { parallel: boolean; calls: ToolCall[] }[] = [];
  for (const call of calls) {
    const parallel = findTool(call.name)?.effect === "read";
    const last = groups.at(-1);
    if (parallel && last?.parallel) last.calls.push(call);
    else groups.push({ parallel, calls: [call] });
  }
  return groups.map((group) => group.calls);
}

async function runCall(
  turn: Turn,
  call: ToolCall,
  place: { index: number; total: number },
): Promise<StepToolCall> {
  // The tool gets the arguments as the model wrote them; what is stored and shown is without secrets.
  const known = await turn.secrets.known();
  const parameters = boundParameters(
    scrubValue(safeParseJson(call.arguments, Parameters)?.value ?? {}, known),
  );
  const described = { iteration: turn.iteration, ...place, id: call.id, name: call.name, parameters };
  const recorded = turn.records.resultOf(call.id) ?? (await runOnce(turn, call, described));
  return {
    id: call.id,
    name: call.name,
    arguments: scrubText(call.arguments, known),
    parameters,
    result: recorded.result,
    model_text: recorded.modelText,
  };
}

/** Arguments as events and steps show them; the tool gets them whole. */
function boundParameters(parameters: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [storableText(name), boundValue(value, SHOWN)]),
  );
}

const SHOWN = { chars: 4_000, items: 100 };

async function runOnce(
  turn: Turn,
  call: ToolCall,
  described: Parameters<typeof taskEvents.toolStart>[0],
): Promise<RecordedResult> {
  const { records, writer, tools, gate } = turn;
  const wasStarted = records.wasStarted(call.id);
  // What was started has been let in.
  const entry = wasStarted
    ? undefined
    : await gate.enter({ ...described, arguments: call.arguments }, records);
  if (entry && !entry.allowed) return recordOutcome(turn, call, described, refusal(entry));
  if (mayChange(call.name) && !tools.readOnly) await turn.beforeChange({ begun: wasStarted });
  const effect = findTool(call.name)?.effect ?? "read";
  if (!wasStarted) {
    writer.add({ events: [taskEvents.toolStart(described)], records: [records.recordStart(call.id)] });
    // A call that must not happen twice begins only when its beginning is on record.
    if (effect === "other") await writer.flush();
    tools.signal.throwIfAborted();
  }
  const outcome = wasStarted && effect === "other" ? INTERRUPTED : await runTool(call, tools);
  if ("cause" in outcome) turn.onToolFault(call.name, outcome.cause);
  return recordOutcome(turn, call, described, outcome);
}

/** What became of a call, without secrets, for the model, the log and the database. */
async function recordOutcome(
  { records, writer, secrets }: Turn,
  call: ToolCall,
  described: Parameters<typeof taskEvents.toolStart>[0],
  outcome: Pick<ToolOutcome, "success" | "result">,
): Promise<RecordedResult> {
  const known = await secrets.knownAfter({ arguments: call.arguments, mayChange: mayChange(call.name) });
  const scrubbed = scrubValue(outcome.result, known);
  const result = { success: outcome.success, ...toEventResult(scrubbed) };
  const recorded: RecordedResult = { result, modelText: toModelText(scrubbed) };
  const events = [taskEvents.toolResult(described, result)];
  if (!scrubbed.success) events.push(taskEvents.toolError(described, scrubbed.error));
  else if (call.name === "update_plan") events.push(taskEvents.planUpdate(call.id, result));
  writer.add({
    events,
    records: [records.recordResult(call.id, recorded)],
  });
  // The last result goes with the end of the turn.
  if (described.index < described.total - 1) await writer.flush();
  return recorded;
}

function refusal({ error, suggestion }: { error: string; suggestion: string }) {
  return { success: false, result: { success: false, error, suggestion } } as const;
}

const INTERRUPTED = {
  success: false,
  result: {
    success: false,
    error: "The call was interrupted and its outcome is unknown.",
    suggestion: "Check what it did before you run it again.",
  },
} as const;
