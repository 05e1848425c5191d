import { z } from "zod";
import { writeToSession } from "#src/domain/workspaces/shells/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { SessionParams } from "./session.ts";

export const writeSession = endpoint({
  operationId: "writeToShell",
  method: "post",
  path: "/api/shell/sessions/:shell/write",
  summary: "Write to a shell session",
  description: "A line of input ends with a line feed.",
  tag: "Shells",
  access: { userOrKey: "terminal.access" },
  params: SessionParams,
  example: { data: "bHMK" },
  body: z.object({ data: text({ min: 1, max: 65_536 }) }),
  refusals: [404, 409],
  response: { status: 200, schema: z.object({ success: z.boolean(), bytes_written: z.number().int() }) },
  async handler({ services, caller, params, body }) {
    const bytes = await writeToSession(services, caller, params.shell, body.data);
    return { success: true, bytes_written: bytes };
  },
});
