import { z } from "zod";
import { sendWithAttachments } from "#src/domain/agent-work/attachments/index.ts";
import type { SentMessage } from "#src/domain/agent-work/chats/index.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { ChatMessageFields, hasContent, NEEDS_CONTENT, wishOf } from "#src/http/chat-message.ts";
import { text } from "#src/http/schemas.ts";
import type { Services } from "#src/services.ts";

/** Largest request with pictures, in bytes. An isolate holds the request several times over, and has 128 MB. */
export const AGENT_BODY_BYTES = 24 * 1024 * 1024;

export const AgentChatRequest = ChatMessageFields.extend({
  project_id: text({ min: 1, max: 100 })
    .nullish()
    .describe(
      "Id or slug of the project. When absent, the project of the chat, or the caller's default workspace",
    ),
  container_id: text({ max: 100 }).nullish().describe("Accepted for existing clients; not used"),
  minimal_prompts: z.boolean().nullish().describe("Accepted for existing clients; not used"),
})
  .refine(hasContent, NEEDS_CONTENT)
  .meta({ id: "AgentChatRequest" });

/**
 * Starts the task that a request of the rich streams describes. Attachments are stored first. A repetition of its
 * `Idempotency-Key` starts nothing.
 */
export async function startFromRequest(
  services: Services,
  caller: Caller,
  body: z.output<typeof AgentChatRequest>,
  idempotencyKey: string | undefined,
): Promise<SentMessage> {
  return sendWithAttachments(services, caller, {
    ...wishOf(body),
    project: body.project_id ?? undefined,
    idempotencyKey,
  });
}
