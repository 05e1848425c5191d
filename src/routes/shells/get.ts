import { requireSession } from "#src/domain/workspaces/shells/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeSession, Session, SessionParams } from "./session.ts";

export const getSession = endpoint({
  operationId: "getShell",
  method: "get",
  path: "/api/shell/sessions/:shell",
  summary: "Get a shell session",
  tag: "Shells",
  access: { userOrKey: "terminal.access" },
  params: SessionParams,
  refusals: [404],
  response: { status: 200, schema: Session },
  handler: async ({ services, caller, params }) =>
    describeSession(await requireSession(services, caller, params.shell)),
});
