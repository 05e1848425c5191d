import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { socket } from "#src/http/socket.ts";
import { LogsClientFrame, LogsServerFrame } from "#src/wire/sockets.ts";
import { NO_WISH } from "./query.ts";

/** The logs of a project's containers, one at a time. */
export const logSocket = socket({
  path: "/api/projects/:project/logs/stream",
  summary: "Follow container logs",
  description: "The logs of a project's containers, one at a time.",
  frames: { client: LogsClientFrame, server: LogsServerFrame },
  async open({ services, caller, standing, params }) {
    const { id } = await requireProject(services, caller, params["project"] ?? "", "container.view");
    return services.sockets.open(id, { kind: "logs", userId: caller.userId, standing, wish: NO_WISH });
  },
});
