import { z } from "zod";
import { changeFiles, outsideGit, pathFromRoot } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";

export const makeDirectory = endpoint({
  operationId: "createDirectory",
  method: "post",
  path: "/api/projects/:project/files/mkdir",
  summary: "Create a directory",
  description: "Also creates its parents. Idempotent.",
  tag: "Files",
  access: { userOrKey: "file.write" },
  params: ProjectParams,
  example: { dir_path: "docs" },
  body: z.object({ dir_path: z.string() }).meta({ id: "MakeDirectory" }),
  refusals: [409],
  response: { status: 200, schema: z.object({ message: z.string(), dir_path: z.string() }) },
  async handler({ services, caller, params, body }) {
    const path = outsideGit(pathFromRoot(body.dir_path));
    const access = { caller, project: params.project, scope: "file.write" } as const;
    await changeFiles(services, access, (runtime) => runtime.makeDirectory(path));
    return { message: "Directory created", dir_path: path };
  },
});
