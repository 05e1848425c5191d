import { z } from "zod";
import { changeFiles, normalizePath } from "#src/domain/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { FileParams, Removed } from "./file.ts";

export const deleteFile = endpoint({
  method: "delete",
  path: "/api/projects/:project/files/:path{.+}",
  summary: "Remove a file, or a directory that is empty",
  tag: "Files",
  access: { userOrKey: "file.delete" },
  params: FileParams,
  query: z.object({
    recursive: z.stringbool().default(false).describe("Remove a directory with all it holds"),
  }),
  refusals: [409],
  response: { status: 200, schema: Removed },
  async handler({ services, caller, params, query: { recursive } }) {
    const path = normalizePath(params.path);
    const access = { caller, project: params.project, scope: "file.delete" } as const;
    await changeFiles(services, access, (runtime) => runtime.remove(path, { recursive }));
    return { message: "File deleted", file_path: path };
  },
});

export const deleteNamedFile = endpoint({
  method: "delete",
  path: "/api/projects/:project/files",
  summary: "Remove a file, or with `is_directory` a directory with all it holds",
  tag: "Files",
  access: { userOrKey: "file.delete" },
  params: ProjectParams,
  body: z
    .object({ file_path: z.string(), is_directory: z.boolean().default(false) })
    .meta({ id: "DeleteFile" }),
  refusals: [409],
  response: { status: 200, schema: Removed },
  async handler({ services, caller, params, body }) {
    const path = normalizePath(body.file_path);
    const access = { caller, project: params.project, scope: "file.delete" } as const;
    await changeFiles(services, access, (runtime) => runtime.remove(path, { recursive: body.is_directory }));
    return { message: body.is_directory ? "Directory deleted" : "File deleted", file_path: path };
  },
});
