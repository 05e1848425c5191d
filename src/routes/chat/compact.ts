import { z } from "zod";
import { compactChat } from "#src/agent/chats/compact-chat.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ChatParams } from "./chat.ts";

export const compact = endpoint({
  operationId: "compactChat",
  method: "post",
  path: "/api/chat/:chat/compact",
  tag: "Chat",
  summary: "Compact a chat",
  description:
    "The model writes a summary of the chat. From then on the model sees the summary in place of all but the last two messages. People still see all messages.",
  access: { userOrKey: "chat.send", rate: "chat" },
  params: ChatParams,
  refusals: [400, 402, 409, 503],
  response: {
    status: 200,
    schema: z.object({
      success: z.boolean(),
      before_count: z.int().optional(),
      after_count: z.int().optional(),
      summary: z.string().optional(),
      detail: z.string().optional().describe("Why nothing was done"),
    }),
  },
  async handler({ services, caller, params, request }) {
    const compacted = await compactChat(services, caller, params.chat, request.signal);
    if (!compacted.done) return { success: false, detail: compacted.reason };
    const { before, after, summary } = compacted;
    return { success: true, before_count: before, after_count: after, summary };
  },
});
