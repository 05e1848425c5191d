/**
 * The events of a task as readers of streams and sockets receive them. The builders of `domain/agent-work/tasks/events.ts`
 * have their types from these schemas, and the OpenAPI document names them. Clients must ignore unknown fields and types.
 */
import { z } from "zod";
import { AskedInput } from "./asked-input.ts";

const Values = z.record(z.string(), z.unknown());

/** What a message waits for. */
export const WaitingFor = z
  .object({
    task_id: z
      .string()
      .describe("Task of the chat that is at work; this task itself when it waits for an approval"),
    approval_id: z.string().nullable().describe("The pending approval that blocks it"),
    tool: z.string().nullable().describe("The tool that needs the approval"),
    refused: z
      .boolean()
      .describe("Whether sending the message denied the approval, so that only the earlier task has to end"),
  })
  .meta({ id: "WaitingFor" });

/** A tool call of a turn. */
const Call = z
  .object({
    iteration: z.int().describe("Turn of the task, from 1"),
    index: z.int().describe("Position among the turn's calls, from 0"),
    total: z.int().describe("Number of the turn's calls"),
    id: z.string(),
    name: z.string(),
    parameters: Values,
  })
  .meta({ id: "ToolCall" });
export type ToolCall = z.output<typeof Call>;

const CallEnded = Call.extend({ result: Values, timestamp: z.string() }).meta({ id: "EndedToolCall" });
const ended = { tool: z.string(), args: Values, result: Values, data: CallEnded };

const TaskStartedEvent = z
  .object({
    type: z.literal("task_started"),
    data: z.object({
      task_id: z.string(),
      chat_id: z.string().optional().describe("On streams of a new message"),
    }),
  })
  .meta({ id: "TaskStartedEvent", description: "The first executor begins" });

const TextDeltaEvent = z
  .object({
    type: z.literal("text_delta"),
    content: z.string(),
    data: z.object({ content: z.string() }),
  })
  .meta({ id: "TextDeltaEvent", description: "A piece of the agent's text, as it is written" });

const TurnRestartedEvent = z
  .object({ type: z.literal("turn_restarted"), data: z.object({ iteration: z.int(), reason: z.string() }) })
  .meta({ id: "TurnRestartedEvent", description: "The turn starts over: discard its text so far" });

const ToolStartEvent = z
  .object({ type: z.literal("tool_start"), tool: z.string(), args: Values, data: Call })
  .meta({ id: "ToolStartEvent", description: "A tool call begins" });

const ToolProgressEvent = z
  .object({
    type: z.literal("tool_progress"),
    tool: z.string(),
    content: z.string(),
    data: z.object({
      iteration: z.int(),
      id: z.string().describe("Id of the call"),
      name: z.string(),
      message: z.string().describe("What the tool says; empty where it only counts"),
      progress: z.number(),
      total: z.number().optional(),
    }),
  })
  .meta({
    id: "ToolProgressEvent",
    description: "How far a call is, as a foreign tool says; at most one a second for each call",
  });

const ToolResultEvent = z
  .object({ type: z.literal("tool_result"), ...ended })
  .meta({ id: "ToolResultEvent", description: "A tool call has ended" });

const ToolCallEvent = z.object({ type: z.literal("tool_call"), ...ended }).meta({
  id: "ToolCallEvent",
  description: "A tool call has ended: `tool_result`, as clients of chats know it",
});

const ToolErrorEvent = z
  .object({
    type: z.literal("tool_error"),
    tool: z.string(),
    error: z.string(),
    data: z.object({ iteration: z.int(), tool_name: z.string(), error: z.string() }),
  })
  .meta({
    id: "ToolErrorEvent",
    description: "A tool call failed; the task goes on. Follows the call's result",
  });

/** The outcome of a call, with the fields of its result beside those named here. */
const ToolOutcome = z
  .looseObject({
    success: z.boolean(),
    tool: z.string(),
    result: z.unknown().optional(),
    error: z.unknown().optional().describe("Of a call that failed: why"),
  })
  .meta({ id: "ToolOutcome" });
export type ToolOutcome = z.output<typeof ToolOutcome>;

const AgentStepEvent = z
  .object({
    type: z.literal("agent_step"),
    data: z.object({
      iteration: z.int(),
      thought: z.string().optional().describe("The model's reasoning, where its provider shows it"),
      tool_calls: z.array(z.object({ name: z.string(), parameters: Values })),
      tool_results: z.array(ToolOutcome),
      response_text: z.string(),
      timestamp: z.string(),
      is_complete: z.boolean(),
    }),
  })
  .meta({ id: "AgentStepEvent", description: "A turn has ended. It has all that the turn said and did" });

const PlanUpdateEvent = z
  .object({
    type: z.literal("plan_update"),
    data: z
      .looseObject({ run_id: z.string(), updated_at: z.string() })
      .describe("The plan with its steps, as the tool `update_plan` returns it"),
  })
  .meta({ id: "PlanUpdateEvent", description: "The agent's plan has changed" });

const ApprovalRequiredEvent = z
  .object({
    type: z.literal("approval_required"),
    tool: z.string(),
    args: Values,
    data: z.object({
      approval_id: z.string(),
      tool_call_id: z.string(),
      tool: z.string(),
      parameters: Values,
      session_id: z.string().describe("Id of the chat"),
      tool_name: z.string().describe("Other name of `tool`"),
      tool_parameters: Values.describe("Other name of `parameters`"),
      tool_description: z.string(),
      parameters_shortened: z.boolean().describe("Whether `approval_url` has more than `parameters`"),
      approval_url: z.string(),
      expires_at: z.string(),
      input: AskedInput.optional().describe(
        "Of a question that an MCP server asks in the middle of the call",
      ),
    }),
  })
  .meta({
    id: "ApprovalRequiredEvent",
    description: "A dangerous call, or the question of an MCP server (`input`), waits for a person",
  });

const ApprovalAnsweredEvent = z
  .object({
    type: z.literal("approval_answered"),
    tool: z.string(),
    data: z.object({
      approval_id: z.string(),
      tool_call_id: z.string(),
      tool_name: z.string(),
      verdict: z.enum(["allowed", "refused"]),
      reason: z
        .string()
        .optional()
        .describe("Why it was refused: the reason that was given, or the message that counted as a refusal"),
    }),
  })
  .meta({ id: "ApprovalAnsweredEvent", description: "The call was allowed or refused" });

const WaitingEvent = z
  .object({
    type: z.literal("waiting"),
    content: z.string(),
    data: z.object({ task_id: z.string(), waiting_for: WaitingFor }),
  })
  .meta({ id: "WaitingEvent", description: "A message waits for its chat's turn. It has no id" });

const ContextPressureEvent = z
  .object({
    type: z.literal("context_pressure"),
    data: z.object({ compacted: z.boolean(), iteration: z.int() }),
  })
  .meta({ id: "ContextPressureEvent", description: "The conversation was shortened for the model" });

const CreditsUsedEvent = z
  .object({
    type: z.literal("credits_used"),
    data: z.object({
      credits_deducted: z.number(),
      cost_total: z.number(),
      new_balance: z.number().nullable(),
      usage_log_id: z.string(),
      is_byok: z.boolean().describe("Whether the call used a model key of the caller's own"),
    }),
  })
  .meta({ id: "CreditsUsedEvent", description: "A model call took credits" });

const ChatTitleEvent = z
  .object({ type: z.literal("chat_title"), data: z.object({ chat_id: z.string(), title: z.string() }) })
  .meta({ id: "ChatTitleEvent", description: "The chat has got a title" });

const TaskErrorEvent = z
  .object({
    type: z.literal("error"),
    content: z.string(),
    error: z.string(),
    data: z.object({ message: z.string(), code: z.string().optional() }),
  })
  .meta({ id: "TaskErrorEvent", description: "The task has failed" });

const TokenUsage = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_input_tokens: z.int(),
  cache_write_tokens: z.int(),
});

const Status = z.enum(["queued", "running", "completed", "failed", "cancelled"]);

const CompleteEvent = z
  .object({
    type: z.literal("complete"),
    status: Status,
    response: z.string().nullable(),
    data: z.object({
      success: z.boolean(),
      iterations: z.int(),
      final_response: z.string(),
      tool_calls_made: z.int(),
      completion_reason: z.string().nullable(),
      session_id: z.string().optional().describe("Id of the chat"),
      error: z.string().optional(),
      usage: TokenUsage.optional(),
    }),
  })
  .meta({ id: "TaskCompleteEvent", description: "The end, with the number of turns, calls and tokens" });

const DoneEvent = z
  .object({
    type: z.literal("done"),
    task_id: z.string(),
    status: Status,
    response: z.string().nullable(),
    error: z.string().optional(),
    data: z.object({ task_id: z.string(), status: Status, error: z.string().optional() }),
  })
  .meta({ id: "TaskDoneEvent", description: "The last event" });

const AgentHeartbeatEvent = z
  .object({ type: z.literal("agent_heartbeat"), data: z.object({}) })
  .meta({ id: "AgentHeartbeatEvent", description: "The agent is still at work. It has no id" });

const SHARED = [
  TaskStartedEvent,
  TextDeltaEvent,
  TurnRestartedEvent,
  ToolStartEvent,
  ToolProgressEvent,
  ToolErrorEvent,
  AgentStepEvent,
  PlanUpdateEvent,
  ApprovalRequiredEvent,
  ApprovalAnsweredEvent,
  ContextPressureEvent,
  CreditsUsedEvent,
  ChatTitleEvent,
  TaskErrorEvent,
  CompleteEvent,
  DoneEvent,
] as const;

/** An event of a task's log. */
export const TaskEvent = z.discriminatedUnion("type", [...SHARED, ToolResultEvent]).meta({ id: "TaskEvent" });
export type TaskEvent = z.output<typeof TaskEvent>;

/** An event of a task on the streams and sockets of chats. */
export const ChatEvent = z
  .discriminatedUnion("type", [...SHARED, ToolCallEvent, WaitingEvent, AgentHeartbeatEvent])
  .meta({ id: "ChatEvent" });
export type ChatEvent = z.output<typeof ChatEvent>;

/** All that the service builds as an event of a task. */
export type BuiltEvent = TaskEvent | z.output<typeof WaitingEvent>;
