import { z } from "zod";
import { isOwn } from "#src/domain/access/permissions/index.ts";
import { listChats, listChatsOfProject, type ListedChat } from "#src/domain/agent-work/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { ChatStatus, ProjectChats, SharedQuery } from "./chat.ts";

export const Session = z.object({
  id: z.string(),
  title: z.string().nullable(),
  origin: z.string(),
  status: ChatStatus,
  created_at: Moment,
  updated_at: Moment.nullable(),
  is_shared: z.boolean().describe("Whether the people of the project see it"),
  is_own: z.boolean().describe("False for a chat that another person shares"),
  owner_name: z.string().nullable().describe("Name of the person who began it; null for the caller's own"),
});

/** Most chats of one project in a list. */
const LISTED = 500;

export const standaloneSessions = endpoint({
  operationId: "listStandaloneChats",
  method: "get",
  path: "/api/chat/sessions",
  tag: "Chat",
  summary: "List standalone chats",
  description: "The caller's chats that were begun without a project, last used first.",
  access: { userOrKey: "chat.view" },
  query: z.object({
    limit: z.coerce.number().int().min(1).max(100).default(30),
    offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  }),
  response: {
    status: 200,
    schema: z.object({
      sessions: z.array(
        Session.extend({ title: z.string(), project_id: z.string(), project_name: z.string() }),
      ),
      has_more: z.boolean(),
    }),
  },
  async handler({ services, caller, query: { limit, offset } }) {
    const found = await listChats(services, caller, { origin: "standalone", limit: limit + 1, offset });
    const sessions = found.slice(0, limit).map((chat) => ({
      ...describeSession(chat, caller),
      title: chat.title ?? "Untitled",
      project_id: chat.projectId,
      project_name: chat.projectName,
    }));
    return { sessions, has_more: found.length > limit };
  },
});

export const projectSessions = endpoint({
  operationId: "listProjectChats",
  method: "get",
  path: "/api/chat/:project/sessions",
  tag: "Chat",
  summary: "List a project's chats",
  description: `The caller's chats in the project, last used first: up to ${LISTED}, or a page with \`limit\` and \`offset\`.`,
  access: { userOrKey: "chat.view" },
  params: ProjectChats,
  query: z
    .object({
      limit: z.coerce.number().int().min(1).max(LISTED).default(LISTED),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    })
    .extend(SharedQuery.shape),
  response: { status: 200, schema: z.array(Session.extend({ message_count: z.int() })) },
  async handler({ services, caller, params, query }) {
    const wish = { limit: query.limit, offset: query.offset, withShared: query.shared };
    const found = await listChatsOfProject(services, caller, params.project, wish);
    return found.map((chat) => ({ ...describeSession(chat, caller), message_count: chat.messageCount }));
  },
});

export function describeSession(chat: ListedChat, viewer: { userId: string }): z.input<typeof Session> {
  const { id, title, origin, state: status, createdAt, updatedAt } = chat;
  return {
    id,
    title,
    origin,
    status,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt?.toISOString() ?? null,
    is_shared: chat.isShared,
    is_own: isOwn(viewer, chat),
    owner_name: chat.ownerName,
  };
}
