import { z } from "zod";
import { openFile, openFiles, pathFromRoot } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { CONDITIONAL_READ, EncodingQuery, FileParams, FileText, replyText } from "./file.ts";

export const getFile = endpoint({
  operationId: "readFileByPath",
  method: "get",
  path: "/api/projects/:project/files/:path{.+}",
  summary: "Read a file by path",
  description: `As text or as base64. Use \`files/content\` for files named \`tree\`, \`content\`, \`search\` or \`raw\`. ${CONDITIONAL_READ}`,
  tag: "Files",
  access: { userOrKey: "file.read" },
  namesFile: true,
  params: FileParams,
  query: z.object({ encoding: EncodingQuery }),
  response: { status: 200, schema: FileText },
  async handler({ services, caller, params, request, query }) {
    const path = pathFromRoot(params.path);
    const { runtime } = await openFiles(services, caller, params.project);
    return replyText(request, path, await openFile(runtime, path), query.encoding);
  },
});
