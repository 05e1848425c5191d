import { isAuthorized } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { socket } from "#src/http/socket.ts";
import { ChatClientFrame } from "#src/http/chat-message.ts";
import { ChatServerFrame } from "#src/wire/sockets.ts";
import { NO_WISH } from "./query.ts";
import { isShownShared, resumed, shownBefore } from "./resumed.ts";

/** A person's chats in a project: messages to the agent, and what their agents do. */
export const conversationSocket = socket({
  path: "/ws/chat/:project",
  aliases: ["/api/ws/chat/:project"],
  summary: "Open a project's chats",
  description:
    "A person's chats in a project: messages to the agent, and what their agents do. Resumed with `task_id` and `last_event_id`; with `shared=true` also what others do in shared chats.",
  frames: { client: ChatClientFrame, server: ChatServerFrame },
  async open({ services, caller, standing, params, query }) {
    const { id, role } = await requireProject(services, caller, params["project"] ?? "", "chat.view");
    const resume = resumed(query);
    const shown = shownBefore(query);
    const shared = isShownShared(query);
    const readsFiles = isAuthorized(caller, "file.read", role);
    const who = { userId: caller.userId, standing, readsFiles, shared };
    const opening = { kind: "conversation", ...who, wish: NO_WISH, resume } as const;
    return services.sockets.open(id, shown ? { ...opening, shown } : opening);
  },
});
