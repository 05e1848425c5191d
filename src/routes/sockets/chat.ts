import { requireChat } from "#src/domain/agent-work/chats/index.ts";
import { socket } from "#src/http/socket.ts";
import { NO_WISH } from "./query.ts";

/** Besides chats: notices of the project, and on request a terminal and logs. */
export const chatSocket = socket({
  path: "/ws/:chat",
  aliases: ["/api/ws/:chat"],
  async open({ services, caller, standing, params }) {
    const { projectId } = await requireChat(services, caller, params["chat"] ?? "", "project.view");
    return services.sockets.open(projectId, { kind: "chat", userId: caller.userId, standing, wish: NO_WISH });
  },
});
