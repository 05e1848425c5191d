import { z } from "zod";
import * as snapshots from "#src/domain/workspaces/snapshots/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";

const MEDIA_TYPES = {
  "tar.gz": "application/gzip",
  tar: "application/x-tar",
  zip: "application/zip",
} as const;

export const exportProject = endpoint({
  operationId: "exportProject",
  method: "get",
  path: "/api/projects/:project/export",
  aliases: ["/api/projects/:project/download-template"],
  summary: "Export a project",
  description: "Returns all files as one archive.",
  tag: "Projects",
  access: { userOrKey: "file.read" },
  params: ProjectParams,
  query: z.object({ format: z.enum(snapshots.EXPORT_FORMATS).default("tar.gz") }),
  refusals: [409, 413, 503],
  response: {
    status: 200,
    schema: z.string(),
    mediaType: "application/gzip",
    description: "The archive in the requested format",
  },
  async handler({ services, caller, params, query: { format } }) {
    const { slug, body } = await snapshots.exportProject(services, caller, {
      project: params.project,
      format,
    });
    return new Response(body, {
      headers: {
        "content-type": MEDIA_TYPES[format],
        "content-disposition": `attachment; filename="${slug.replaceAll("~", "")}.${format}"`,
        "cache-control": "no-store",
      },
    });
  },
});
