import { sendWithAttachments } from "#src/agent/send-with-attachments.ts";
import type { Caller } from "#src/domain/organisations/access/index.ts";
import type { SentMessage } from "#src/domain/agent-work/chats/index.ts";
import type { Services } from "#src/services.ts";
import type { AgentChatRequest } from "./agent-request.ts";

/** Start what a client of the rich streams asks for; what it sends along is stored first. */
export function startFromRequest(
  services: Services,
  caller: Caller,
  body: AgentChatRequest,
): Promise<SentMessage> {
  const metadata = {
    ...(body.mentions?.length && { mentions: body.mentions }),
    ...(body.view_context && { view_context: body.view_context }),
  };
  return sendWithAttachments(services, caller, {
    project: body.project_id ?? undefined,
    chatId: body.chat_id ?? undefined,
    message: body.message,
    agentId: body.agent_id ?? undefined,
    model: body.model ?? undefined,
    editMode: body.edit_mode ?? undefined,
    maxIterations: body.max_iterations || undefined,
    attachments: body.attachments ?? [],
    messageMetadata: Object.keys(metadata).length > 0 ? metadata : null,
  });
}
