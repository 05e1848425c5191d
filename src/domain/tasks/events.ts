import type { Charged } from "#src/domain/usage/index.ts";
import type { ModelUsage } from "#src/models/model.ts";
import type { NewEvent } from "#src/platform/objects/task-logs.ts";
import type { StepData } from "./steps.ts";
import type { Task } from "./task.ts";

/**
 * The events of a task. Each is `{type, data}` with the details in `data`; what simple readers look for stands beside it
 * as well (`content`, `tool`, `args`, `result`, `error`, `status`, `response`).
 */
function event(type: string, fields: Readonly<Record<string, unknown>>): NewEvent {
  return { type, data: JSON.stringify({ type, ...fields }) };
}

export function taskStarted(taskId: string): NewEvent {
  return event("task_started", { data: { task_id: taskId } });
}

/** A piece of the agent's text, as it is written. */
export function textDelta(content: string): NewEvent {
  return event("text_delta", { content, data: { content } });
}

/** The turn starts over: what was streamed of it so far does not count. */
export function turnRestarted(iteration: number, reason: string): NewEvent {
  return event("turn_restarted", { data: { iteration, reason } });
}

interface ToolCallEvent {
  iteration: number;
  /** Position among the turn's calls, from 0. */
  index: number;
  total: number;
  id: string;
  name: string;
  parameters: Record<string, unknown>;
}

export function toolStart(call: ToolCallEvent): NewEvent {
  return event("tool_start", { tool: call.name, args: call.parameters, data: call });
}

export function toolResult(call: ToolCallEvent, result: Record<string, unknown>): NewEvent {
  const data = { ...call, result, timestamp: new Date().toISOString() };
  return event("tool_result", { tool: call.name, args: call.parameters, result, data });
}

/** A tool failed and the run goes on; comes in addition to the call's `tool_result`. */
export function toolError(call: ToolCallEvent, error: string): NewEvent {
  return event("tool_error", {
    tool: call.name,
    error,
    data: { iteration: call.iteration, tool_name: call.name, error },
  });
}

/** The end of a turn: all it said and did. */
export function agentStep(step: StepData): NewEvent {
  const { iteration, thought, tool_calls: calls, response_text, timestamp, is_complete } = step;
  return event("agent_step", {
    data: {
      iteration,
      ...(thought !== null && { thought }),
      tool_calls: calls.map(({ name, parameters }) => ({ name, parameters })),
      tool_results: calls.map(({ name, result }) => ({ tool: name, ...result })),
      response_text,
      timestamp,
      is_complete,
    },
  });
}

/** The agent's plan as it is now; comes in addition to the call's `tool_result`. */
export function planUpdate(callId: string, plan: Record<string, unknown>): NewEvent {
  const { success: _, message: __, ...fields } = plan;
  return event("plan_update", { data: { run_id: callId, ...fields, updated_at: new Date().toISOString() } });
}

/** Somebody has to say whether a call may run; existing clients read one or the other names of its tool. */
export function approvalRequired(approval: {
  id: string;
  callId: string;
  tool: string;
  parameters: Record<string, unknown>;
  /** Whether the parameters are only a part of the call; `approval_url` has all of it. */
  isShortened: boolean;
  description: string;
  chatId: string;
  expiresAt: Date;
}): NewEvent {
  const { id, callId, tool, parameters, isShortened, description, chatId, expiresAt } = approval;
  return event("approval_required", {
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
    },
  });
}

/** What became of a question: `allowed`, or `refused`, also where nobody answered in time. */
export function approvalAnswered(approval: {
  id: string;
  callId: string;
  tool: string;
  verdict: "allowed" | "refused";
}): NewEvent {
  const { id, callId, tool, verdict } = approval;
  const data = { approval_id: id, tool_call_id: callId, tool_name: tool, verdict };
  return event("approval_answered", { tool, data });
}

/** The conversation was made shorter for the model. */
export function contextPressure(iteration: number): NewEvent {
  return event("context_pressure", { data: { compacted: true, iteration } });
}

function chatTitled(chatId: string, title: string): NewEvent {
  return event("chat_title", { data: { chat_id: chatId, title } });
}

/** Credits that a model call took; nothing where it took none. */
export function creditsUsed(charged: Charged | undefined): NewEvent[] {
  if (!charged || charged.deducted === 0) return [];
  const { usageId, cost, deducted, balance } = charged;
  const data = {
    credits_deducted: deducted,
    cost_total: cost,
    new_balance: balance,
    usage_log_id: usageId,
  };
  return [event("credits_used", { data: { ...data, is_byok: false } })];
}

/** What the last events tell of a task's row. */
export type EndedTask = Pick<
  Task,
  "id" | "chatId" | "status" | "response" | "error" | "iterations" | "toolCalls" | "completionReason"
> & {
  /** Title of its chat, where this task tells of it. */
  title: string | null;
};

/** Reasons that clients tell apart by a code of the `error` event. */
const CODES: Readonly<Record<string, string>> = {
  insufficient_credits: "insufficient_credits",
  model_no_vision: "model_no_vision",
};

/** Something went wrong for good; existing clients read one or the other name of the sentence. */
export function failure(message: string, code?: string): NewEvent {
  return event("error", { content: message, error: message, data: { message, ...(code && { code }) } });
}

/** The last events of a task, from the row that says how it ended. */
export function endingEvents(task: EndedTask, usage: ModelUsage | undefined): NewEvent[] {
  const { id, chatId, title, status, response, error, iterations, toolCalls } = task;
  const events: NewEvent[] = [];
  if (status === "failed")
    events.push(failure(error ?? "The task failed", CODES[task.completionReason ?? ""]));
  events.push(
    event("complete", {
      data: {
        success: status === "completed",
        iterations,
        final_response: response ?? "",
        tool_calls_made: toolCalls,
        completion_reason: task.completionReason,
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
    event("done", {
      task_id: id,
      status,
      response,
      ...(error !== null && { error }),
      data: { task_id: id, status, ...(error !== null && { error }) },
    }),
  );
  return events;
}
