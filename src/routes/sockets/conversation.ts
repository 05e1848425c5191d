import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { socket } from "#src/http/socket.ts";
import { NO_WISH } from "./query.ts";
import { resumed } from "./resumed.ts";

/** A person's chats in a project: messages to the agent, and what their agents do. */
export const conversationSocket = socket({
  path: "/ws/chat/:project",
  aliases: ["/api/ws/chat/:project"],
  async open({ services, caller, standing, params, query }) {
    const { id } = await requireProject(services, caller, params["project"] ?? "", "chat.view");
    const resume = resumed(query);
    const opening = { kind: "conversation", userId: caller.userId, standing, wish: NO_WISH, resume } as const;
    return services.sockets.open(id, opening);
  },
});
