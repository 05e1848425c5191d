import { z } from "zod";
import {
  clearChat,
  listMessages,
  listMessagesOfProject,
  type MessagePage,
} from "#src/domain/agent-work/chats/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { pageQuery } from "#src/http/list-page.ts";
import { ResultsQuery } from "#src/http/turn.ts";
import { counted } from "#src/lib/counted.ts";
import { ChatParams, ChatQuery, ProjectChats } from "./chat.ts";
import { describeMessage, Message } from "./message.ts";

/** Where a page of messages begins, as in `X-Next-Cursor`: number and role of its first message. */
const Place = z
  .string()
  .regex(/^\d{1,9}_(?:user|assistant)$/u, "must be the X-Next-Cursor of a page")
  .transform((cursor) => {
    const [seq, role] = cursor.split("_");
    return { seq: Number(seq), role: role === "user" ? ("user" as const) : ("assistant" as const) };
  });

const Pages = pageQuery(Place);
const PAGES =
  "The newest 1000, or as many as `limit`; when older ones follow, `X-Next-Cursor` is the `cursor` of the next page, whose messages are before it. `GET /api/chat/agent/steps/{task}/{step}` returns a step whole";

function reply({ messages, earlier }: MessagePage) {
  const shown = messages.map(describeMessage);
  return new Reply(shown, earlier ? { "X-Next-Cursor": `${earlier.seq}_${earlier.role}` } : {});
}

export const history = endpoint({
  operationId: "listProjectChatMessages",
  method: "get",
  path: "/api/chat/:project/history",
  aliases: ["/chat/:project/history", "/api/chat/:project/messages"],
  tag: "Chat",
  summary: "List a project chat's messages",
  description: `The messages of one of the caller's chats in the project, oldest first, with the agent's steps. An answer in progress is included, empty. ${PAGES}.`,
  access: { userOrKey: "chat.view" },
  params: ProjectChats,
  query: ChatQuery.extend(Pages.shape).extend(ResultsQuery.shape),
  response: { status: 200, schema: z.array(Message) },
  async handler({ services, caller, params: { project }, query }) {
    const wish = { limit: query.limit, before: query.cursor, results: query.results };
    return reply(await listMessagesOfProject(services, caller, { project, chatId: query.chat_id }, wish));
  },
});

export const sessionMessages = endpoint({
  operationId: "listChatMessages",
  method: "get",
  path: "/api/chat/session/:chat/messages",
  tag: "Chat",
  summary: "List a chat's messages",
  description: `The messages of one of the caller's chats, oldest first, with the agent's steps. ${PAGES}.`,
  access: { userOrKey: "chat.view" },
  params: ChatParams,
  query: Pages.extend(ResultsQuery.shape),
  response: { status: 200, schema: z.array(Message) },
  async handler({ services, caller, params, query }) {
    const wish = { limit: query.limit, before: query.cursor, results: query.results };
    return reply(await listMessages(services, caller, params.chat, wish));
  },
});

export const clear = endpoint({
  operationId: "clearChat",
  method: "delete",
  path: "/api/chat/:project/messages",
  tag: "Chat",
  summary: "Clear a chat",
  description: "Deletes its messages, and the list of tools that are allowed for the whole chat.",
  access: { userOrKey: "chat.delete" },
  params: ProjectChats,
  query: ChatQuery,
  refusals: [409],
  response: {
    status: 200,
    schema: z.object({ success: z.literal(true), message: z.string(), deleted_count: z.int() }),
  },
  async handler({ services, caller, params: { project }, query }) {
    const deleted = await clearChat(services, caller, { project, chatId: query.chat_id });
    return {
      success: true as const,
      message: `Deleted ${counted(deleted, "message")}`,
      deleted_count: deleted,
    };
  },
});
