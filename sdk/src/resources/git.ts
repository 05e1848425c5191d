import type { Request } from "../http/request.ts";
import type { Body, CallOptions, Query } from "../http/route.ts";

/** The git repository of a project. */
export function git(request: Request) {
  return {
    init: (project: string, body: Body<"POST /api/projects/{project}/git/init">, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/git/init", { ...options, path: { project }, body }),
    clone: (project: string, body: Body<"POST /api/projects/{project}/git/clone">, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/git/clone", { ...options, path: { project }, body }),
    status: (project: string, options?: CallOptions) =>
      request("GET", "/api/projects/{project}/git/status", { ...options, path: { project } }),
    diff: (project: string, query?: Query<"GET /api/projects/{project}/git/diff">, options?: CallOptions) =>
      request("GET", "/api/projects/{project}/git/diff", {
        ...options,
        path: { project },
        query,
      }),
    stage: (project: string, body: Body<"POST /api/projects/{project}/git/stage">, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/git/stage", { ...options, path: { project }, body }),
    commit: (project: string, body: Body<"POST /api/projects/{project}/git/commit">, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/git/commit", { ...options, path: { project }, body }),
    push: (project: string, body: Body<"POST /api/projects/{project}/git/push">, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/git/push", { ...options, path: { project }, body }),
    pull: (project: string, body: Body<"POST /api/projects/{project}/git/pull">, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/git/pull", { ...options, path: { project }, body }),
    commits: (
      project: string,
      query?: Query<"GET /api/projects/{project}/git/commits">,
      options?: CallOptions,
    ) =>
      request("GET", "/api/projects/{project}/git/commits", {
        ...options,
        path: { project },
        query,
      }),
    branches: (project: string, options?: CallOptions) =>
      request("GET", "/api/projects/{project}/git/branches", { ...options, path: { project } }),
    switch: (project: string, body: Body<"POST /api/projects/{project}/git/switch">, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/git/switch", { ...options, path: { project }, body }),
  };
}
