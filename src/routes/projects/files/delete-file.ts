import { z } from "zod";
import { changeFiles, outsideGit, pathFromRoot } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { expectedVersion } from "./conditions.ts";
import { FileParams, Removed } from "./file.ts";

export const deleteFile = endpoint({
  operationId: "deleteFileByPath",
  method: "delete",
  path: "/api/projects/:project/files/:path{.+}",
  summary: "Delete a file by path",
  description: "Also deletes an empty directory. Honours `If-Match`.",
  tag: "Files",
  access: { userOrKey: "file.delete" },
  namesFile: true,
  params: FileParams,
  query: z.object({
    recursive: z.stringbool().default(false).describe("Delete a directory and its contents"),
  }),
  refusals: [409, 412],
  response: { status: 200, schema: Removed },
  async handler({ services, caller, params, request, query: { recursive } }) {
    const path = outsideGit(pathFromRoot(params.path));
    const access = { caller, project: params.project, scope: "file.delete" } as const;
    const expected = expectedVersion(request);
    await changeFiles(services, access, (runtime) => runtime.remove(path, { recursive, expected }));
    return { message: "File deleted", file_path: path };
  },
});

export const deleteNamedFile = endpoint({
  operationId: "deleteFile",
  method: "delete",
  path: "/api/projects/:project/files",
  summary: "Delete a file or directory",
  description: "With `is_directory`, deletes a directory and its contents. Honours `If-Match`.",
  tag: "Files",
  access: { userOrKey: "file.delete" },
  params: ProjectParams,
  example: { file_path: "notes.txt" },
  body: z
    .object({ file_path: z.string(), is_directory: z.boolean().default(false) })
    .meta({ id: "DeleteFile" }),
  refusals: [409, 412],
  response: { status: 200, schema: Removed },
  async handler({ services, caller, params, request, body }) {
    const path = outsideGit(pathFromRoot(body.file_path));
    const access = { caller, project: params.project, scope: "file.delete" } as const;
    const expected = expectedVersion(request);
    await changeFiles(services, access, (runtime) =>
      runtime.remove(path, { recursive: body.is_directory, expected }),
    );
    return { message: body.is_directory ? "Directory deleted" : "File deleted", file_path: path };
  },
});
