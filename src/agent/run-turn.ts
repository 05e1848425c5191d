import { taskEvents, type Turn, type TurnCall } from "#src/domain/agent-work/tasks/index.ts";
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
import { isRefusal, type ConversationWindow } from "./context/within-window.ts";
import type { Refusal } from "./checkpoint.ts";
import { describeCall } from "./describe-call.ts";
import { WaitingError, type Gate } from "./gate.ts";
import type { LogWriter } from "./log-writer.ts";
import type { RunSecrets } from "./scrubbing/run-secrets.ts";
import { scrubText, scrubValue, type KnownSecrets } from "./scrubbing/scrub.ts";
import { ScrubbedStream } from "./scrubbing/scrubbed-stream.ts";
import { headAndTail } from "./tools/bound-text.ts";
import { findTool, mayChange } from "./tools/index.ts";
import { runTool, type ToolOutcome } from "./tools/run-tool.ts";
import { toEventResult } from "./tools/to-event-result.ts";
import { toModelText } from "./tools/to-model-text.ts";
import type { ToolContext } from "./tools/tool.ts";
import type { Answer, RecordedResult, TurnRecords } from "./turn-records.ts";

/** Most characters of a turn's thinking that are shown. */
const THOUGHT_CHARS = 20_000;

/** The input of a turn's model call. */
interface TurnRequest {
  model: Model;
  system: string;
  definitions: readonly ToolDefinition[];
  /** Requested thinking effort; undefined leaves the model's default. */
  effort?: ThinkingEffort | undefined;
  /** The conversation so far, fitted into the model's window. */
  window: Pick<ConversationWindow, "messages" | "shrink">;
  /** See `sealPart`. */
  seal: (part: KeptPart) => Promise<string | null>;
}

/** How the calls of a turn are run. */
interface TurnCalls {
  tools: Omit<ToolContext, "callId">;
  gate: Pick<Gate, "enter">;
  /** Awaited before each call that does more than read; `begun` says whether an earlier executor had begun the call. */
  beforeChange: (call: { begun: boolean }) => Promise<Refusal | undefined>;
}

/** Where a turn is recorded. */
interface TurnLog {
  records: TurnRecords;
  writer: LogWriter;
}

/** Callbacks while a turn runs. */
interface TurnObserver {
  /**
   * The usage of the turn's model call, before its result is used: the provider's count, or an estimate when the call
   * was stopped or failed in the middle. A stopped turn is charged for the model's work.
   */
  modelUsed(usage: ModelUsage): void;
  /** All text of the model's answer that was shown so far; empty once the answer starts over. */
  said(text: string): void;
  /** A tool failed unexpectedly; `cause` may hold anything. */
  toolFailed(tool: string, cause: unknown): void;
}

export interface TurnContext {
  iteration: number;
  request: TurnRequest;
  calls: TurnCalls;
  log: TurnLog;
  /** Secrets that are removed from everything the turn shows. */
  secrets: RunSecrets;
  observer: TurnObserver;
}

export interface TurnOutcome {
  turn: Turn;
  answer: Answer;
}

/**
 * Runs one turn: asks the model, runs the calls it makes, and reports what happened. All that an earlier executor
 * recorded of the turn is reused, not repeated. Throws `ModelError`, `WaitingError` when a call needs an approval, or
 * the signal's reason when the task is stopped.
 */
export async function runTurn(turn: TurnContext): Promise<TurnOutcome> {
  const { records, writer } = turn.log;
  const answer = records.answer ?? (await askModel(turn));
  turn.observer.modelUsed(answer.usage);
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
  return { turn: done, answer };
}

async function askModel(turn: TurnContext): Promise<Answer> {
  const known = await turn.secrets.known();
  let messages = await turn.request.window.messages();
  for (;;) {
    try {
      return await readAnswer(turn, messages, known);
    } catch (error) {
      // The provider refused before it sent any text: try again without pictures, or with a shorter conversation.
      if (!isRefusal(error)) throw error;
      messages = await turn.request.window.shrink(error);
    }
  }
}

async function readAnswer(
  turn: TurnContext,
  messages: readonly ModelMessage[],
  known: KnownSecrets,
): Promise<Answer> {
  const { iteration, observer } = turn;
  const { model, system, definitions, effort, seal } = turn.request;
  const { records, writer } = turn.log;
  const { signal } = turn.calls.tools;
  const request = { system, messages, tools: definitions, ...(effort && { effort }) };
  let shown = new ScrubbedStream(known);
  /** All that the model has written, shown or not. */
  let received = "";
  let said = "";
  const say = (text: string) => {
    writer.text(text);
    observer.said((said += text));
  };
  signal.throwIfAborted();
  try {
    for await (const event of model.stream(request, signal)) {
      switch (event.type) {
        case "text_delta":
          received += event.text;
          say(shown.push(event.text));
          break;
        case "hidden_delta":
          received += event.text;
          break;
        case "restarted":
          shown = new ScrubbedStream(known);
          observer.said((said = ""));
          writer.add({ events: [taskEvents.turnRestarted(iteration, event.reason)] });
          break;
        case "finished": {
          say(shown.end());
          const isEmpty = event.text.trim() === "" && event.toolCalls.length === 0;
          if (isEmpty) say(emptyAnswer(event.finishReason));
          const answer = storableAnswer({
            ...event,
            text: isEmpty ? emptyAnswer(event.finishReason) : scrubText(event.text, known),
            thought: headAndTail(scrubText(event.thought ?? "", known), THOUGHT_CHARS),
            // Without calls no further turn needs the kept part.
            kept: event.kept && event.toolCalls.length > 0 ? await seal(event.kept) : null,
          });
          // From here on the answer stands: a later executor continues with its calls and does not ask again. Without
          // calls the turn is over, and its end is written at once.
          writer.add({ records: [records.recordAnswer(answer)] });
          if (answer.toolCalls.length > 0) await writer.flush();
          return answer;
        }
      }
    }
  } catch (error) {
    const isUnsent = error instanceof ModelError && error.code === "insufficient_credits";
    if (received !== "" || (signal.aborted && !isUnsent))
      observer.modelUsed(estimateUsage(request, { text: received }));
    throw error;
  }
  throw new ModelError("bad_response", "The model's answer ended without its end", { retryable: false });
}

/** Replaces an answer that has neither text nor a call, because people and programs expect a text. */
function emptyAnswer(reason: Answer["finishReason"]): string {
  if (reason === "length")
    return "The model reached the greatest length of its answer before it said anything.";
  if (reason === "content_filter")
    return "The model's answer was held back by the content filter of its provider.";
  return "The model ended its work without a word. Ask again, or ask for what is missing.";
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
 * Runs adjacent read-only calls in parallel, all others in order. If one of them has to wait for an approval, the
 * others are finished first.
 */
async function runCalls(turn: TurnContext, calls: readonly ToolCall[]): Promise<TurnCall[]> {
  const done: TurnCall[] = [];
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
  const { tools, gate, beforeChange } = turn.calls;
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
  const effect = findTool(call.name)?.effect ?? "read";
  if (!wasStarted) {
    writer.add({ events: [taskEvents.toolStart(described)], records: [records.recordStart(call.id)] });
    // A call that must not run twice starts only after its start is durable.
    if (effect === "other") await writer.flush();
    tools.signal.throwIfAborted();
  }
  const outcome = wasStarted && effect === "other" ? INTERRUPTED : await runTool(call, { ...tools, callId });
  if ("cause" in outcome) turn.observer.toolFailed(call.name, outcome.cause);
  return recordOutcome(turn, call, described, outcome);
}

/** Records the outcome of a call, scrubbed, for the model, the log and the database. */
async function recordOutcome(
  { log: { records, writer }, secrets }: TurnContext,
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
  // The last result is written together with the end of the turn.
  if (described.index < described.total - 1) await writer.flush();
  return recorded;
}

function refusal({ error, suggestion }: Refusal) {
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
