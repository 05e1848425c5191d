import { z } from "zod";
import { AgentId, Moment, text } from "#src/http/schemas.ts";
import { WaitingFor } from "#src/wire/task-events.ts";

export const TaskStatus = z.enum(["queued", "running", "completed", "failed", "cancelled"]);

/** Longest message to an agent, in characters. */
const MAX_MESSAGE = 100_000;

export const TaskParams = z.object({ task: z.string().describe("The task's `task_id`") });

const WebhookUrl = text({ min: 1, max: 2048 })
  .pipe(z.url({ protocol: /^https?$/u, error: "must be an http:// or https:// address" }))
  .describe("Where the final status is POSTed, signed by the Standard Webhooks scheme");

export const InvokeBody = z
  .object({
    project_id: z.uuid().describe("Project the agent works on"),
    message: text({ min: 1, max: MAX_MESSAGE, trim: true }).describe("What the agent is to do"),
    agent_id: AgentId.nullish().describe("Agent that works on it; the default agent when absent"),
    chat_id: z.uuid().nullish().describe("Chat to continue; a new one when absent"),
    webhook_url: WebhookUrl.nullish(),
    webhook_callback_url: WebhookUrl.nullish().describe("Other name of `webhook_url`"),
    container_id: z.string().nullish().describe("Accepted for existing clients; not used"),
  })
  .meta({ id: "Invoke" });

export const Invoked = z
  .object({
    task_id: z.string(),
    chat_id: z.string(),
    events_url: z.string().describe("Relative path of the task's event stream"),
    status: TaskStatus.describe("`queued`"),
    waiting_for: WaitingFor.optional().describe("What the message waits for, while it is waiting"),
  })
  .meta({ id: "InvokedTask" });

const CallbackAttempt = z.object({
  attempt: z.int().describe("From 1"),
  delivered: z.boolean(),
  status_code: z.int().nullable().describe("HTTP status of the receiver's response"),
  error: z.string().nullable(),
  at: Moment,
});

export const TaskView = z
  .object({
    task_id: z.string(),
    chat_id: z.string(),
    project_id: z.string(),
    agent_id: z.string(),
    status: TaskStatus,
    response: z.string().nullable().describe("Final agent text"),
    final_response: z.string().nullable().describe("Other name of `response`"),
    iterations: z.int().describe("Turns of the agent loop"),
    tool_calls: z.int(),
    tool_calls_made: z.int().describe("Other name of `tool_calls`"),
    completion_reason: z.string().nullable(),
    error: z.string().nullable(),
    waiting_for: WaitingFor.optional().describe("What the task waits for, while it is waiting"),
    events_url: z.string(),
    created_at: Moment,
    started_at: Moment.nullable(),
    completed_at: Moment.nullable(),
    callback: z.object({
      url: z.string().nullable(),
      status: z.enum(["none", "pending", "delivered", "failed"]),
      attempts: z.array(CallbackAttempt),
    }),
  })
  .meta({ id: "Task" });

export const PageQuery = (maxLimit: number, limit: number) =>
  z.object({
    page: z.coerce.number().int().min(1).max(1_000_000).default(1),
    limit: z.coerce.number().int().min(1).max(maxLimit).default(limit),
  });
