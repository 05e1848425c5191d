import { z } from "zod";
import { endpoint } from "#src/http/endpoint.ts";
import { IdempotencyHeaders } from "#src/http/idempotency-key.ts";
import { jsonFrame } from "#src/lib/server-sent-events.ts";
import { ChatEvent } from "#src/wire/task-events.ts";
import { AGENT_BODY_BYTES, AgentChatRequest, startFromRequest } from "./agent-request.ts";
import { DATA_HEARTBEAT, richFrame } from "./rich-frames.ts";
import { freshTask, streamOf, taskHeaders, unlessWithoutCredits, waitOf } from "./sse.ts";

export const agentStream = endpoint({
  operationId: "streamChatEvents",
  method: "post",
  path: "/api/chat/agent/stream",
  tag: "Chat",
  summary: "Send a message and stream events",
  description:
    "Server-Sent Events of all that the agent does, approvals included. The agent continues when the client disconnects.",
  access: { userOrKey: "chat.send", rate: "chat" },
  headers: IdempotencyHeaders,
  example: { project_id: "3f0c6c1e-8a53-4b52-9a57-1f2d7c9e4b10", message: "Fix the failing test." },
  body: AgentChatRequest,
  bodyLimit: AGENT_BODY_BYTES,
  refusals: [409, 503],
  response: {
    status: 200,
    schema: z.string(),
    mediaType: "text/event-stream",
    event: ChatEvent,
    description:
      "`data` lines only, each one line of JSON `{type, data}`: `task_started`, `waiting`, `text_delta`, `tool_start`, `tool_progress`, `tool_call`, `tool_error`, `plan_update`, `agent_step`, `approval_required`, `approval_answered`, `turn_restarted`, `context_pressure`, `credits_used`, `chat_title`, `agent_heartbeat`, `error`, `complete`, `done`",
  },
  async handler({ services, caller, body, headers, request }) {
    return unlessWithoutCredits(async () => {
      const started = await startFromRequest(services, caller, body, headers["Idempotency-Key"]);
      // Sent at once, also for a task that waits for its chat's turn; the log's own event follows only when the task
      // begins.
      const first: ChatEvent = {
        type: "task_started",
        data: { task_id: started.taskId, chat_id: started.chatId },
      };
      return streamOf(services, { caller, request }, freshTask(started), {
        first: jsonFrame(first),
        translate: (heard) =>
          heard.kind === "heartbeat"
            ? DATA_HEARTBEAT
            : heard.events
                .filter(({ type }) => type !== "task_started")
                .map((event) => richFrame(event, false))
                .join(""),
        headers: taskHeaders(started),
        waits: waitOf(started),
      });
    });
  },
});
