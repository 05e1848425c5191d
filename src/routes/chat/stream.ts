import { z } from "zod";
import { sendMessage } from "#src/domain/agent-work/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { KEEP_ALIVE } from "#src/lib/server-sent-events.ts";
import { IdempotencyHeaders } from "#src/http/idempotency-key.ts";
import { AgentId, text } from "#src/http/schemas.ts";
import { SimpleChatFrame } from "#src/wire/streams.ts";
import { SimpleStream } from "./simple-stream.ts";
import { freshTask, streamOf, taskHeaders, unlessWithoutCredits, waitOf } from "./sse.ts";

/** Longest message, in characters. */
const MAX_MESSAGE = 100_000;

export const stream = endpoint({
  operationId: "streamChatText",
  method: "post",
  path: "/api/chat/stream",
  aliases: ["/chat/stream"],
  tag: "Chat",
  summary: "Send a message and stream text",
  description:
    "Server-Sent Events: `tool_execution`, `message` and `error`. A message that has to wait says so at once, with the reason. The agent continues when the client disconnects. To resume, use the ids in the headers `X-Task-Id` and `X-Chat-Id`.",
  access: { userOrKey: "chat.send", rate: "chat" },
  headers: IdempotencyHeaders,
  example: { project_id: "3f0c6c1e-8a53-4b52-9a57-1f2d7c9e4b10", message: "Fix the failing test." },
  body: z
    .object({
      project_id: text({ min: 1, max: 100 }).describe("Id or slug of the project the agent works on"),
      message: text({ min: 1, max: MAX_MESSAGE, trim: true }),
      agent_id: AgentId.nullish().describe(
        "Agent that works on it. When absent, the chat's agent or the default one",
      ),
      chat_id: z.uuid().nullish().describe("When absent, the chat last used in the project, or a new one"),
    })
    .meta({ id: "ChatStream" }),
  response: {
    status: 200,
    schema: z.string(),
    mediaType: "text/event-stream",
    event: SimpleChatFrame,
    description: "`data` lines only, each one line of JSON with a `type`; comments keep the connection open",
  },
  async handler({ services, caller, body, headers, request }) {
    return unlessWithoutCredits(async () => {
      const started = await sendMessage(services, caller, {
        project: body.project_id,
        chatId: body.chat_id ?? undefined,
        message: body.message,
        agentId: body.agent_id ?? undefined,
        // This stream has no frame for an approval, and most of its clients could not answer one.
        editModeOtherwise: "allow",
        idempotencyKey: headers["Idempotency-Key"],
      });
      const simple = new SimpleStream();
      return streamOf(services, { caller, request }, freshTask(started), {
        translate: (heard) =>
          heard.kind === "heartbeat"
            ? KEEP_ALIVE
            : heard.events.map((event) => simple.framesOf(event)).join(""),
        headers: taskHeaders(started),
        waits: waitOf(started),
      });
    });
  },
});
