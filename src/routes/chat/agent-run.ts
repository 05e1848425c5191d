import { z } from "zod";
import { awaitTask, requireTask } from "#src/domain/agent-work/chats/index.ts";
import { describeWaiting, findWaiting, listTurns, Turn } from "#src/domain/agent-work/tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { IdempotencyHeaders } from "#src/http/idempotency-key.ts";
import { ShownTurn } from "#src/http/turn.ts";
import { AGENT_BODY_BYTES, AgentChatRequest, startFromRequest } from "./agent-request.ts";
import { describeTurn } from "./message.ts";
import { WaitingFor } from "#src/wire/task-events.ts";
import { freshTask } from "./sse.ts";

/** Most turns in a response; the chat's messages have all of them. */
const SHOWN_TURNS = 500;

export const agentRun = endpoint({
  operationId: "sendChatMessage",
  method: "post",
  path: "/api/chat/agent",
  tag: "Chat",
  summary: "Send a message and wait",
  description:
    "Returns when the agent's work ends. `success` is false and `completion_reason` is `in_progress` in three cases: the agent asks for an approval, an earlier message of the chat does, or the agent has worked for ten minutes. Then read on with `GET /api/chat/agent/events/{task_id}`.",
  access: { userOrKey: "chat.send", rate: "chat" },
  headers: IdempotencyHeaders,
  example: { project_id: "3f0c6c1e-8a53-4b52-9a57-1f2d7c9e4b10", message: "Fix the failing test." },
  body: AgentChatRequest,
  bodyLimit: AGENT_BODY_BYTES,
  refusals: [409, 503],
  response: {
    status: 200,
    schema: z.object({
      success: z.boolean(),
      task_id: z.string(),
      chat_id: z.string(),
      iterations: z.int(),
      final_response: z.string(),
      tool_calls_made: z.int(),
      completion_reason: z.string().nullable(),
      steps: z.array(ShownTurn),
      error: z.string().nullable(),
      waiting_for: WaitingFor.optional().describe("What the task waits for, while it is waiting"),
    }),
  },
  async handler({ services, caller, body, headers }) {
    const started = await startFromRequest(services, caller, body, headers["Idempotency-Key"]);
    await awaitTask(services, freshTask(started));
    const task = await requireTask(services, caller, started.taskId, "chat.send");
    const { items } = await listTurns(services, task.id, { page: 1, limit: SHOWN_TURNS });
    const waiting = task.completedAt ? null : await findWaiting(services.db, task.id);
    return {
      success: task.status === "completed",
      task_id: task.id,
      chat_id: task.chatId,
      iterations: task.iterations,
      final_response: task.response ?? "",
      tool_calls_made: task.toolCalls,
      completion_reason: task.completedAt ? task.completionReason : "in_progress",
      steps: items.map(({ turnData }) => describeTurn(Turn.parse(turnData))),
      error: task.error,
      ...(waiting && { waiting_for: describeWaiting(waiting) }),
    };
  },
});
