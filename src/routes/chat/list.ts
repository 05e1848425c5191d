import { z } from "zod";
import { countChats, listChats, messagesOfChats } from "#src/domain/agent-work/chats/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { Chat, describeChat, SharedQuery } from "./chat.ts";
import { describeMessage, Message } from "./message.ts";

/** Newest messages listed with each chat. */
const SHOWN_MESSAGES = 50;

export const list = endpoint({
  operationId: "listChats",
  method: "get",
  path: "/api/chat",
  tag: "Chat",
  summary: "List chats",
  description:
    "The caller's chats, last used first, 50 unless `limit` is given. Each has its newest 50 messages without the agent's steps. `X-Total-Count` is the total number; `offset` skips chats.",
  access: { userOrKey: "chat.view" },
  query: z
    .object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    })
    .extend(SharedQuery.shape),
  response: { status: 200, schema: z.array(Chat.extend({ messages: z.array(Message) })) },
  async handler({ services, caller, query }) {
    const [found, total] = await Promise.all([
      listChats(services, caller, { ...query, withShared: query.shared }),
      countChats(services, caller, { withShared: query.shared }),
    ]);
    const ids = found.map(({ id }) => id);
    const messages = await messagesOfChats(services.db, ids, SHOWN_MESSAGES);
    const shown = found.map((chat) => ({
      ...describeChat(chat),
      messages: (messages.get(chat.id) ?? []).map(describeMessage),
    }));
    return new Reply(shown, { "X-Total-Count": String(total) });
  },
});
