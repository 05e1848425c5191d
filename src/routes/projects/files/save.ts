import { z } from "zod";
import { changeFiles, fileToWrite, toBytes } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { describeSaved, FILE_BODY_BYTES, FileContent, Saved } from "./file.ts";

export const saveFile = endpoint({
  method: "post",
  path: "/api/projects/:project/files/save",
  summary: "Write a file",
  description: "Creates or replaces the file, and creates missing directories.",
  tag: "Files",
  access: { userOrKey: "file.write" },
  params: ProjectParams,
  body: z.object({ file_path: z.string(), ...FileContent }).meta({ id: "SaveFile" }),
  bodyLimit: FILE_BODY_BYTES,
  refusals: [409],
  response: { status: 200, schema: Saved },
  async handler({ services, caller, params, body }) {
    const path = fileToWrite(body.file_path);
    const bytes = toBytes(body.content, body.encoding);
    const access = { caller, project: params.project, scope: "file.write" } as const;
    await changeFiles(services, access, (runtime) => runtime.writeFile(path, bytes));
    return describeSaved(path);
  },
});
