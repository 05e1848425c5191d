import { z } from "zod";
import { readNewOutput } from "#src/domain/workspaces/shells/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { SessionParams } from "./session.ts";

export const readOutput = endpoint({
  operationId: "readShellOutput",
  method: "get",
  path: "/api/shell/sessions/:shell/output",
  summary: "Read shell session output",
  description: "Returns the output since the last read. Also works after the session has ended.",
  tag: "Shells",
  access: { userOrKey: "terminal.access" },
  params: SessionParams,
  refusals: [404, 409],
  response: {
    status: 200,
    schema: z.object({
      output: z.base64().describe("The bytes as base64, at most one mebibyte per read"),
      bytes: z.number().int(),
      is_eof: z.boolean().describe("The program has ended and there is no further output"),
    }),
  },
  async handler({ services, caller, params }) {
    const { data, eof } = await readNewOutput(services, caller, params.shell);
    return { output: data.toBase64(), bytes: data.byteLength, is_eof: eof };
  },
});
