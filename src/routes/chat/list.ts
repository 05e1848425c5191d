import { z } from "zod";
import { listChats, messagesOfChats } from "#src/domain/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Chat, describeChat } from "./chat.ts";
import { describeMessage, Message } from "./message.ts";

/** Messages that come with each chat, the newest. */
const SHOWN_MESSAGES = 50;

export const list = endpoint({
  method: "get",
  path: "/api/chat",
  tag: "Chat",
  summary:
    "The caller's chats, the last used first, each with its newest 50 messages (without the agent's steps)",
  access: { userOrKey: "chat.view" },
  query: z.object({
    limit: z.coerce.number().int().min(1).max(100).default(50),
    offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  }),
  response: { status: 200, schema: z.array(Chat.extend({ messages: z.array(Message) })) },
  async handler({ services, caller, query }) {
    const found = await listChats(services, caller, query);
    const ids = found.map(({ id }) => id);
    const messages = await messagesOfChats(services.db, ids, SHOWN_MESSAGES);
    return found.map((chat) => ({
      ...describeChat(chat),
      messages: (messages.get(chat.id) ?? []).map(describeMessage),
    }));
  },
});
