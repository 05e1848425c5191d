import { z } from "zod";
import { changeFiles, outsideGit, pathFromRoot } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AppError } from "#src/lib/errors.ts";
import { ProjectParams } from "../project.ts";
import { expectedVersion } from "./conditions.ts";

export const renameFile = endpoint({
  operationId: "moveFile",
  method: "post",
  path: "/api/projects/:project/files/rename",
  summary: "Move a file or directory",
  description:
    "Creates missing target directories. Never overwrites. Honours `If-Match` for the file that is moved.",
  tag: "Files",
  access: { userOrKey: "file.write" },
  params: ProjectParams,
  example: { old_path: "README.md", new_path: "docs/README.md" },
  body: z.object({ old_path: z.string(), new_path: z.string() }).meta({ id: "RenameFile" }),
  refusals: [409, 412],
  response: {
    status: 200,
    schema: z.object({ message: z.string(), old_path: z.string(), new_path: z.string() }),
  },
  async handler({ services, caller, params, request, body }) {
    const from = outsideGit(pathFromRoot(body.old_path));
    const to = outsideGit(pathFromRoot(body.new_path));
    if (from === to) throw new AppError("invalid_input", "The old and the new path are the same");
    const access = { caller, project: params.project, scope: "file.write" } as const;
    const expected = expectedVersion(request);
    await changeFiles(services, access, (runtime) => runtime.rename(from, to, expected));
    return { message: "Renamed", old_path: from, new_path: to };
  },
});
