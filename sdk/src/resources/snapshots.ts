import type { Request } from "../http/request.ts";
import type { Body, CallOptions } from "../http/route.ts";

/** States of a project's files that can be restored. */
export function snapshots(request: Request) {
  return {
    list: (project: string, options?: CallOptions) =>
      request("GET", "/api/projects/{project}/snapshots", { ...options, path: { project } }),
    create: (project: string, body: Body<"POST /api/projects/{project}/snapshots">, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/snapshots", { ...options, path: { project }, body }),
    restore: (project: string, hash: string, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/snapshots/{hash}/restore", {
        ...options,
        path: { project, hash },
      }),
  };
}
