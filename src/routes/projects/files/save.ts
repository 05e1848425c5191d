import { z } from "zod";
import { changeFiles, fileToWrite, toBytes } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { expectedVersion } from "./conditions.ts";
import { CONDITIONAL_WRITE, replySaved, FILE_BODY_BYTES, FileContent, Saved } from "./file.ts";

export const saveFile = endpoint({
  operationId: "writeFile",
  method: "post",
  path: "/api/projects/:project/files/save",
  summary: "Write a file",
  description: `Creates or replaces the file, and creates missing directories. ${CONDITIONAL_WRITE}`,
  tag: "Files",
  access: { userOrKey: "file.write" },
  params: ProjectParams,
  example: { file_path: "README.md", content: "# My app\n" },
  body: z.object({ file_path: z.string(), ...FileContent }).meta({ id: "SaveFile" }),
  bodyLimit: FILE_BODY_BYTES,
  refusals: [409, 412],
  response: { status: 200, schema: Saved },
  async handler({ services, caller, params, request, body }) {
    const path = fileToWrite(body.file_path);
    const bytes = toBytes(body.content, body.encoding);
    const access = { caller, project: params.project, scope: "file.write" } as const;
    const expected = expectedVersion(request);
    const entry = await changeFiles(services, access, (runtime) => runtime.writeFile(path, bytes, expected));
    return replySaved(path, entry);
  },
});
