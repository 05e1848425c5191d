import { z } from "zod";
import { SEARCHED, searchChats, type SearchHit } from "#src/domain/agent-work/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { SharedQuery } from "./chat.ts";
import { replyWithPage } from "#src/http/list-page.ts";
import { Moment, text } from "#src/http/schemas.ts";

const Hit = z
  .object({
    chat_id: z.string(),
    project_id: z.string(),
    title: z.string().nullable().describe("Of the chat"),
    message_id: z.string().nullable().describe("Null where the title has the text"),
    role: z.enum(["user", "assistant"]).nullable(),
    cursor: z
      .string()
      .nullable()
      .describe("`cursor` of the page of the chat's messages that ends with the message and its answer"),
    excerpt: z.string().describe("At most 200 characters around the text"),
    created_at: Moment.describe("When the message was sent, or the chat begun"),
  })
  .meta({ id: "ChatSearchHit" });

export const search = endpoint({
  operationId: "searchChats",
  method: "get",
  path: "/api/chat/search",
  tag: "Chat",
  summary: "Search chats",
  description: `Titles and messages of the caller's own chats that have the text, in any case, newest first. \`X-Next-Cursor\` is the \`cursor\` of the next page. A search reads the titles of the ${SEARCHED.titles} chats that were last used, of the last ${SEARCHED.chats} also the newest ${SEARCHED.messages} messages, and of a message the first ${SEARCHED.characters} characters.`,
  access: { userOrKey: "chat.view" },
  query: z
    .object({
      q: text({ min: 2, max: 200, trim: true }).describe("The text"),
      limit: z.coerce.number().int().min(1).max(100).default(20),
      cursor: z.uuid().optional().describe("`X-Next-Cursor` of the previous page"),
    })
    .extend(SharedQuery.shape),
  response: { status: 200, schema: z.array(Hit) },
  async handler({ services, caller, query: { q, limit, cursor, shared } }) {
    const hits = await searchChats(services, caller, { text: q, limit, before: cursor, withShared: shared });
    return replyWithPage(hits, { limit }, { describe, cursorOf: ({ id }) => id });
  },
});

function describe({ id, place, ...hit }: SearchHit): z.input<typeof Hit> {
  return {
    chat_id: hit.chatId,
    project_id: hit.projectId,
    title: hit.title,
    message_id: place && id,
    role: place && place.role,
    cursor: place && `${place.seq + 1}_user`,
    excerpt: hit.excerpt,
    created_at: hit.createdAt.toISOString(),
  };
}
