import { z } from "zod";
import * as shells from "#src/domain/workspaces/shells/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { describeSession, Session } from "./session.ts";

export const listSessions = endpoint({
  operationId: "listShells",
  method: "get",
  path: "/api/shell/sessions",
  summary: "List shell sessions",
  description: "The caller's open shell sessions, newest first.",
  tag: "Shells",
  access: { userOrKey: "terminal.access" },
  query: z.object({ project_id: text({ min: 1, max: 100 }).optional() }),
  refusals: [404],
  response: { status: 200, schema: z.object({ sessions: z.array(Session) }) },
  async handler({ services, caller, query }) {
    return { sessions: (await shells.listSessions(services, caller, query.project_id)).map(describeSession) };
  },
});
