import { z } from "zod";
import { deleteUpload } from "#src/domain/agent-work/attachments/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ChatParams } from "../chat.ts";

export const deleteAttachment = endpoint({
  operationId: "deleteAttachment",
  method: "delete",
  path: "/api/chats/:chat/attachments/:attachment",
  tag: "Chat",
  summary: "Delete an unsent upload",
  access: { userOrKey: "chat.send" },
  params: ChatParams.extend({ attachment: z.string() }),
  refusals: [409],
  response: { status: 200, schema: z.object({ ok: z.literal(true) }) },
  async handler({ services, caller, params }) {
    await deleteUpload(services, caller, { chatId: params.chat, attachmentId: params.attachment });
    return { ok: true as const };
  },
});
