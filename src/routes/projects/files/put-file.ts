import { z } from "zod";
import { changeFiles, fileToWrite, toBytes } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { expectedVersion } from "./conditions.ts";
import { CONDITIONAL_WRITE, replySaved, FILE_BODY_BYTES, FileContent, FileParams, Saved } from "./file.ts";

export const putFile = endpoint({
  operationId: "writeFileByPath",
  method: "put",
  path: "/api/projects/:project/files/:path{.+}",
  summary: "Write a file by path",
  description: `Creates or replaces the file, and creates missing directories. ${CONDITIONAL_WRITE}`,
  tag: "Files",
  access: { userOrKey: "file.write" },
  namesFile: true,
  params: FileParams,
  example: { content: "# My app\n" },
  body: z.object(FileContent).meta({ id: "PutFile" }),
  bodyLimit: FILE_BODY_BYTES,
  refusals: [409, 412],
  response: { status: 200, schema: Saved },
  async handler({ services, caller, params, request, body }) {
    const path = fileToWrite(params.path);
    const bytes = toBytes(body.content, body.encoding);
    const access = { caller, project: params.project, scope: "file.write" } as const;
    const expected = expectedVersion(request);
    const entry = await changeFiles(services, access, (runtime) => runtime.writeFile(path, bytes, expected));
    return replySaved(path, entry);
  },
});
