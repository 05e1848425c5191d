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
  const { iteration, tool_calls: calls, response_text, timestamp, is_complete } = step;
  return event("agent_step", {
    data: {
      iteration,
      tool_calls: calls.map(({ name, parameters }) => ({ name, parameters })),
      tool_results: calls.map(({ name, result }) => ({ tool: name, ...result })),
      response_text,
      timestamp,
      is_complete,
    },
  });
}

/** What the last events tell of a task's row. */
export type EndedTask = Pick<
  Task,
  "id" | "status" | "response" | "error" | "iterations" | "toolCalls" | "completionReason"
>;

/** The last events of a task, from the row that says how it ended. */
export function endingEvents(task: EndedTask, usage: ModelUsage | undefined): NewEvent[] {
  const { id, status, response, error, iterations, toolCalls } = task;
  const events: NewEvent[] = [];
  if (status === "failed") {
    const message = error ?? "The task failed";
    events.push(event("error", { content: message, error: message, data: { message } }));
  }
  events.push(
    event("complete", {
      data: {
        success: status === "completed",
        iterations,
        final_response: response ?? "",
        tool_calls_made: toolCalls,
        completion_reason: task.completionReason,
        ...(error !== null && { error }),
        ...(usage && { usage }),
      },
    }),
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
