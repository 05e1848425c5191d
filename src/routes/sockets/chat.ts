import { isAuthorized } from "#src/domain/access/permissions/index.ts";
import { requireChat } from "#src/domain/agent-work/chats/index.ts";
import { socket } from "#src/http/socket.ts";
import { ProjectClientFrame, ProjectServerFrame } from "#src/wire/sockets.ts";
import { NO_WISH } from "./query.ts";

/** Besides chats: notices of the project, and on request a terminal and logs. */
export const chatSocket = socket({
  path: "/ws/:chat",
  aliases: ["/api/ws/:chat"],
  summary: "Open a project by chat",
  description: "The notices of the project of a chat and, on request, a terminal and logs.",
  frames: { client: ProjectClientFrame, server: ProjectServerFrame },
  async open({ services, caller, standing, params }) {
    const { projectId } = await requireChat(services, caller, params["chat"] ?? "", "project.view");
    // Every role grants what a viewer's does; the object checks the person's own role every so often.
    const readsFiles = isAuthorized(caller, "file.read", "viewer");
    const who = { userId: caller.userId, standing, readsFiles };
    return services.sockets.open(projectId, { kind: "chat", ...who, wish: NO_WISH });
  },
});
