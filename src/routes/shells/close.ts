import * as shells from "#src/domain/workspaces/shells/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Message } from "#src/http/schemas.ts";
import { SessionParams } from "./session.ts";

export const closeSession = endpoint({
  operationId: "closeShell",
  method: "delete",
  path: "/api/shell/sessions/:shell",
  summary: "Close a shell session",
  description: "Ends the session's program and discards its output.",
  tag: "Shells",
  access: { userOrKey: "terminal.access" },
  params: SessionParams,
  refusals: [404],
  response: { status: 200, schema: Message },
  async handler({ services, caller, params }) {
    await shells.closeSession(services, caller, params.shell);
    return { message: "Session closed" };
  },
});
