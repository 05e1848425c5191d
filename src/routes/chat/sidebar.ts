import { z } from "zod";
import { sidebarTree, type SidebarTree } from "#src/domain/agent-work/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeSession, Session } from "./sessions.ts";

export const Tree = z.object({
  rootChats: z.array(Session),
  projects: z.array(
    z.object({ id: z.string(), name: z.string(), slug: z.string(), chats: z.array(Session) }),
  ),
  automations: z.array(z.object({})).describe("Empty: schedules have a list of their own"),
});

export function describeTree({ rootChats, projects }: SidebarTree): z.input<typeof Tree> {
  return {
    rootChats: rootChats.map(describeSession),
    projects: projects.map(({ project: { id, name, slug }, chats }) => ({
      id,
      name,
      slug,
      chats: chats.map(describeSession),
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
  response: { status: 200, schema: Tree },
  handler: async ({ services, caller }) => describeTree(await sidebarTree(services, caller)),
});
