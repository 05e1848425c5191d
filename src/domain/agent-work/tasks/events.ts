import type { Charged } from "#src/domain/metering/usage/index.ts";
import type { ModelUsage } from "#src/models/model.ts";
import type { NewEvent } from "#src/platform/objects/task-logs.ts";
import type { AskedInput } from "#src/wire/asked-input.ts";
import type { BuiltEvent, ToolCall, ToolOutcome } from "#src/wire/task-events.ts";
import type { Turn } from "./turns.ts";
import type { Task } from "./task.ts";
import type { Waiting } from "./queries/waiting.ts";
import { describeWaiting, sentenceOfWaiting, type RefusedQuestion } from "./waiting.ts";

/**
 * The events of a task, whose schemas are in `wire/task-events.ts`. Each is `{type, data}` with the details in `data`. For
 * simple readers the fields `content`, `tool`, `args`, `result`, `error`, `status` and `response` are also at the top level.
 */
function event(built: BuiltEvent): NewEvent {
  return { type: built.type, data: JSON.stringify(built) };
}

export function taskStarted(taskId: string): NewEvent {
  return event({ type: "task_started", data: { task_id: taskId } });
}

/** A piece of the agent's text, as it is written. */
export function textDelta(content: string): NewEvent {
  return event({ type: "text_delta", content, data: { content } });
}

/** The turn starts over: discard what was streamed of it so far. */
export function turnRestarted(iteration: number, reason: string): NewEvent {
  return event({ type: "turn_restarted", data: { iteration, reason } });
}

export function toolStart(call: ToolCall): NewEvent {
  return event({ type: "tool_start", tool: call.name, args: call.parameters, data: call });
}

/** How far a call is. `content` is the same in words. */
export function toolProgress(
  { iteration, id, name }: Pick<ToolCall, "iteration" | "id" | "name">,
  { message, progress, total }: { message: string; progress: number; total: number | undefined },
): NewEvent {
  const counted = total === undefined ? String(progress) : `${progress} of ${total}`;
  const content = message === "" ? counted : message;
  const data = { iteration, id, name, message, progress, ...(total !== undefined && { total }) };
  return event({ type: "tool_progress", tool: name, content, data });
}

export function toolResult(call: ToolCall, result: Record<string, unknown>): NewEvent {
  const data = { ...call, result, timestamp: new Date().toISOString() };
  return event({ type: "tool_result", tool: call.name, args: call.parameters, result, data });
}

/** A tool failed and the run continues. Sent in addition to the call's `tool_result`. */
export function toolError(call: ToolCall, error: string): NewEvent {
  return event({
    type: "tool_error",
    tool: call.name,
    error,
    data: { iteration: call.iteration, tool_name: call.name, error },
  });
}

/** The end of a turn, with its text, calls and results. */
export function agentStep(turn: Turn): NewEvent {
  const { iteration, thought, tool_calls: calls, response_text, timestamp, is_complete } = turn;
  return event({
    type: "agent_step",
    data: {
      iteration,
      ...(thought !== null && { thought }),
      tool_calls: calls.map(({ name, parameters }) => ({ name, parameters })),
      tool_results: toolResults(calls),
      response_text,
      timestamp,
      is_complete,
    },
  });
}

/** Limit in characters of a turn's results as JSON, up to which their fields are repeated at the top level. */
const BESIDE_CHARS = 256 * 1024;

/** `{success, tool, result | error}` for each call, with the fields of the result beside them for clients that look there. */
function toolResults(calls: Turn["tool_calls"]): ToolOutcome[] {
  const whole = calls.map(({ name, result: { success, ...result } }) =>
    success || result["error"] === undefined
      ? { success, tool: name, result }
      : { success, tool: name, error: result["error"], result },
  );
  if (JSON.stringify(whole).length > BESIDE_CHARS) return whole;
  return whole.map((each) => ({ ...each.result, ...each }));
}

/** The agent's current plan. Sent in addition to the call's `tool_result`. */
export function planUpdate(callId: string, plan: Record<string, unknown>): NewEvent {
  const { success: _, message: __, ...fields } = plan;
  return event({
    type: "plan_update",
    data: { run_id: callId, ...fields, updated_at: new Date().toISOString() },
  });
}

/** A call needs an approval. Existing clients read the tool's name under either field. */
export function approvalRequired(approval: {
  id: string;
  callId: string;
  tool: string;
  parameters: Record<string, unknown>;
  /** Whether the parameters are cut; `approval_url` returns the complete call. */
  isShortened: boolean;
  description: string;
  chatId: string;
  expiresAt: Date;
  /** What a server asks, if it is not the call itself that is asked about. */
  asked?: AskedInput | undefined;
}): NewEvent {
  const { id, callId, tool, parameters, isShortened, description, chatId, expiresAt, asked } = approval;
  return event({
    type: "approval_required",
    tool,
    args: parameters,
    data: {
      approval_id: id,
      tool_call_id: callId,
      tool,
      parameters,
      session_id: chatId,
      tool_name: tool,
      tool_parameters: parameters,
      tool_description: description,
      parameters_shortened: isShortened,
      approval_url: `/api/chat/agent/approvals/${id}`,
      expires_at: expiresAt.toISOString(),
      ...(asked && { input: asked }),
    },
  });
}

/** The outcome of an approval: `allowed`, or `refused`, also when it expired. */
export function approvalAnswered(approval: {
  id: string;
  callId: string;
  tool: string;
  verdict: "allowed" | "refused";
  /** The message that denied it, if one did. */
  reason: string | null;
}): NewEvent {
  const { id, callId, tool, verdict, reason } = approval;
  const data = {
    approval_id: id,
    tool_call_id: callId,
    tool_name: tool,
    verdict,
    ...(reason !== null && { reason }),
  };
  return event({ type: "approval_answered", tool, data });
}

/** A message waits for its turn. Sent to waiting readers only: it is not logged and has no id. */
export function waiting(taskId: string, what: Waiting, refused?: RefusedQuestion): NewEvent {
  const data = { task_id: taskId, waiting_for: describeWaiting(what, refused) };
  return event({ type: "waiting", content: sentenceOfWaiting(what, refused), data });
}

/** The conversation was compacted for the model. */
export function contextPressure(iteration: number): NewEvent {
  return event({ type: "context_pressure", data: { compacted: true, iteration } });
}

function chatTitled(chatId: string, title: string): NewEvent {
  return event({ type: "chat_title", data: { chat_id: chatId, title } });
}

/** Credits that a model call cost; no event for a free call. */
export function creditsUsed(charged: Charged | undefined): NewEvent[] {
  if (!charged || charged.deducted === 0) return [];
  const { usageId, cost, deducted, balance } = charged;
  const data = {
    credits_deducted: deducted,
    cost_total: cost,
    new_balance: balance,
    usage_log_id: usageId,
  };
  return [event({ type: "credits_used", data: { ...data, is_byok: false } })];
}

/** The fields of a task's row that the last events carry. */
export type EndedTask = Pick<
  Task,
  "id" | "chatId" | "status" | "response" | "error" | "iterations" | "toolCalls" | "completionReason"
> & {
  /** Title of its chat, if this task reports it. */
  title: string | null;
};

/** Reasons that clients tell apart by a code of the `error` event. */
const CODES: Readonly<Record<string, string>> = {
  insufficient_credits: "insufficient_credits",
  model_no_vision: "model_no_vision",
};

/** The task failed. Existing clients read the message under either field. */
export function failure(message: string, code?: string): NewEvent {
  return event({ type: "error", content: message, error: message, data: { message, ...(code && { code }) } });
}

/** The last events of a task, from the row that says how it ended. */
export function endingEvents(task: EndedTask, usage: ModelUsage | undefined): NewEvent[] {
  const { id, chatId, title, status, response, error, iterations, toolCalls } = task;
  const events: NewEvent[] = [];
  if (status === "failed")
    events.push(failure(error ?? "The task failed", CODES[task.completionReason ?? ""]));
  events.push(
    event({
      type: "complete",
      status,
      response,
      data: {
        success: status === "completed",
        iterations,
        final_response: response ?? "",
        tool_calls_made: toolCalls,
        completion_reason: task.completionReason,
        ...(chatId !== "" && { session_id: chatId }),
        ...(error !== null && { error }),
        ...(usage && {
          usage: {
            input_tokens: usage.inputTokens,
            output_tokens: usage.outputTokens,
            cached_input_tokens: usage.cachedInputTokens,
            cache_write_tokens: usage.cacheWriteTokens,
          },
        }),
      },
    }),
    ...(title === null ? [] : [chatTitled(chatId, title)]),
    event({
      type: "done",
      task_id: id,
      status,
      response,
      ...(error !== null && { error }),
      data: { task_id: id, status, ...(error !== null && { error }) },
    }),
  );
  return events;
}
