import { z } from "zod";
import { normalizePath, openFiles, readText } from "#src/domain/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { EncodingQuery, FileParams, FileText } from "./file.ts";

export const getFile = endpoint({
  method: "get",
  path: "/api/projects/:project/files/:path{.+}",
  summary: "A file as text, or as base64; `files/content` also reads those named `tree`, `content` or `raw`",
  tag: "Files",
  access: { userOrKey: "file.read" },
  params: FileParams,
  query: z.object({ encoding: EncodingQuery }),
  response: { status: 200, schema: FileText },
  async handler({ services, caller, params, query }) {
    const path = normalizePath(params.path);
    const { runtime } = await openFiles(services, caller, params.project);
    return { status: "ready" as const, path, ...(await readText(runtime, path, query.encoding)) };
  },
});
