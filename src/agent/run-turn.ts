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
import { isTooLong, type ConversationWindow } from "./context/within-window.ts";
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

/** What the model call of a turn is made of. */
interface TurnRequest {
  model: Model;
  system: string;
  definitions: readonly ToolDefinition[];
  /** How hard the model is asked to think; the model's own way where it is undefined. */
  effort?: ThinkingEffort | undefined;
  /** The conversation so far, as much of it as the model takes. */
  window: Pick<ConversationWindow, "messages" | "shrink">;
  /** As `sealPart`. */
  seal: (part: KeptPart) => Promise<string | null>;
}

/** How the calls of a turn are run. */
interface TurnCalls {
  tools: ToolContext;
  gate: Pick<Gate, "enter">;
  /** Awaited before each call that does more than read; `begun` tells that an earlier executor had begun it. */
  beforeChange: (call: { begun: boolean }) => Promise<void>;
}

/** Where a turn is written down. */
interface TurnLog {
  records: TurnRecords;
  writer: LogWriter;
}

/** What is told of a turn while it runs. */
interface TurnObserver {
  /**
   * What the turn's model call took, before anything is made of it: by the provider's count, or by estimate when the call was stopped
   * or failed in the middle. A turn that is stopped has had the model at work.
   */
  modelUsed(usage: ModelUsage): void;
  /** All that was shown of the model's answer, as it comes; nothing once it starts over. */
  said(text: string): void;
  /** An unexpected failure of a tool; `cause` may hold anything. */
  toolFailed(tool: string, cause: unknown): void;
}

export interface TurnContext {
  iteration: number;
  request: TurnRequest;
  calls: TurnCalls;
  log: TurnLog;
  /** What is taken out of everything that the turn shows. */
  secrets: RunSecrets;
  observer: TurnObserver;
}

export interface TurnOutcome {
  turn: Turn;
  answer: Answer;
}

/**
 * One turn: ask the model, run the calls it makes, say what happened. What an earlier executor recorded of the turn is
 * taken over, not repeated. Throws `ModelError`, `WaitingError` when a call needs a person's word, or the signal's reason when
 * the task is stopped.
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
  // In the log, in one write with the record that it is there, before the turn is stored: an executor that finds the turn
  // stored has no more to say of it, and one that does not says it once.
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
      // Refused before anything was said: the same call with less.
      if (!isTooLong(error)) throw error;
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
            // Without calls no turn follows.
            kept: event.kept && event.toolCalls.length > 0 ? await seal(event.kept) : null,
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
    if (received !== "" || (signal.aborted && !isUnsent))
      observer.modelUsed(estimateUsage(request, { text: received }));
    throw error;
  }
  throw new ModelError("bad_response", "The model's answer ended without its end", { retryable: false });
}

/** What stands in the place of an answer that has neither a word nor a call: people and programs wait for one. */
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
 * Read-only calls that stand together run side by side; all others in order. Where one of them has to wait for a person, its
 * neighbours are finished first.
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
  // The tool gets the arguments as the model wrote them; what is stored and shown is without secrets.
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
  // What was started has been let in.
  const entry = wasStarted
    ? undefined
    : await gate.enter({ ...described, arguments: call.arguments }, records);
  if (entry && !entry.allowed) return recordOutcome(turn, call, described, refusal(entry));
  if (mayChange(call.name) && !tools.readOnly) await beforeChange({ begun: wasStarted });
  const effect = findTool(call.name)?.effect ?? "read";
  if (!wasStarted) {
    writer.add({ events: [taskEvents.toolStart(described)], records: [records.recordStart(call.id)] });
    // A call that must not happen twice begins only when its beginning is on record.
    if (effect === "other") await writer.flush();
    tools.signal.throwIfAborted();
  }
  const outcome = wasStarted && effect === "other" ? INTERRUPTED : await runTool(call, tools);
  if ("cause" in outcome) turn.observer.toolFailed(call.name, outcome.cause);
  return recordOutcome(turn, call, described, outcome);
}

/** What became of a call, without secrets, for the model, the log and the database. */
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
