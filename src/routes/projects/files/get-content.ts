import { z } from "zod";
import { openFile, openFiles, pathFromRootIn } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { ContainerDir, CONDITIONAL_READ, EncodingQuery, FileText, replyText } from "./file.ts";

export const getContent = endpoint({
  operationId: "readFile",
  method: "get",
  path: "/api/projects/:project/files/content",
  summary: "Read a file",
  description: `As text or as base64. ${CONDITIONAL_READ}`,
  tag: "Files",
  access: { userOrKey: "file.read" },
  params: ProjectParams,
  query: z.object({ path: z.string(), container_dir: ContainerDir, encoding: EncodingQuery }),
  response: { status: 200, schema: FileText },
  async handler({ services, caller, params, request, query: { path, container_dir, encoding } }) {
    const real = pathFromRootIn(container_dir, path);
    const { runtime } = await openFiles(services, caller, params.project);
    return replyText(request, path, await openFile(runtime, real), encoding);
  },
});
