import { z } from "zod";
import { sidebarTree, type SidebarTree } from "#src/domain/agent-work/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { SharedQuery } from "./chat.ts";
import { describeSession, Session } from "./sessions.ts";

export const Tree = z.object({
  rootChats: z.array(Session),
  projects: z.array(
    z.object({ id: z.string(), name: z.string(), slug: z.string(), chats: z.array(Session) }),
  ),
  automations: z.array(z.object({})).describe("Empty: schedules have a list of their own"),
});

export function describeTree(
  { rootChats, projects }: SidebarTree,
  viewer: { userId: string },
): z.input<typeof Tree> {
  return {
    rootChats: rootChats.map((chat) => describeSession(chat, viewer)),
    projects: projects.map(({ project: { id, name, slug }, chats }) => ({
      id,
      name,
      slug,
      chats: chats.map((chat) => describeSession(chat, viewer)),
    })),
    automations: [],
  };
}

export const sidebar = endpoint({
  operationId: "getChatSidebar",
  method: "get",
  path: "/api/sidebar/tree",
  tag: "Chat",
  summary: "Get the chat sidebar",
  description: "The caller's standalone chats, and the newest projects with the caller's chats in them.",
  access: { user: "any" },
  query: SharedQuery,
  response: { status: 200, schema: Tree },
  handler: async ({ services, caller, query: { shared } }) =>
    describeTree(await sidebarTree(services, caller, { withShared: shared }), caller),
});
