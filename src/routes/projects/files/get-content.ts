import { z } from "zod";
import { pathFromRootIn, openFiles, readText } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { ContainerDir, EncodingQuery, FileText } from "./file.ts";

export const getContent = endpoint({
  method: "get",
  path: "/api/projects/:project/files/content",
  summary: "Read a file",
  description: "As text or as base64.",
  tag: "Files",
  access: { userOrKey: "file.read" },
  params: ProjectParams,
  query: z.object({ path: z.string(), container_dir: ContainerDir, encoding: EncodingQuery }),
  response: { status: 200, schema: FileText },
  async handler({ services, caller, params, query: { path, container_dir, encoding } }) {
    const real = pathFromRootIn(container_dir, path);
    const { runtime } = await openFiles(services, caller, params.project);
    return { status: "ready" as const, path, ...(await readText(runtime, real, encoding)) };
  },
});
