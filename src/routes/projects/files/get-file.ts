import { z } from "zod";
import { pathFromRoot, openFiles, readText } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { EncodingQuery, FileParams, FileText } from "./file.ts";

export const getFile = endpoint({
  method: "get",
  path: "/api/projects/:project/files/:path{.+}",
  summary: "Read a file by path",
  description: "As text or as base64. Use `files/content` for files named `tree`, `content` or `raw`.",
  tag: "Files",
  access: { userOrKey: "file.read" },
  params: FileParams,
  query: z.object({ encoding: EncodingQuery }),
  response: { status: 200, schema: FileText },
  async handler({ services, caller, params, query }) {
    const path = pathFromRoot(params.path);
    const { runtime } = await openFiles(services, caller, params.project);
    return { status: "ready" as const, path, ...(await readText(runtime, path, query.encoding)) };
  },
});
