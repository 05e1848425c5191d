import type { Request } from "../http/request.ts";
import type { Body, CallOptions, Query } from "../http/route.ts";

/** Containers of a project: what runs in it. */
export function containers(request: Request) {
  return {
    list: (project: string, options?: CallOptions) =>
      request("GET", "/api/projects/{project}/containers", { ...options, path: { project } }),
    create: (project: string, body: Body<"POST /api/projects/{project}/containers">, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/containers", { ...options, path: { project }, body }),
    get: (project: string, container: string, options?: CallOptions) =>
      request("GET", "/api/projects/{project}/containers/{container}", {
        ...options,
        path: { project, container },
      }),
    start: (project: string, container: string, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/containers/{container}/start", {
        ...options,
        path: { project, container },
      }),
    stop: (project: string, container: string, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/containers/{container}/stop", {
        ...options,
        path: { project, container },
      }),
    restart: (project: string, container: string, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/containers/{container}/restart", {
        ...options,
        path: { project, container },
      }),
    /** The last lines of its output. */
    logs: (
      project: string,
      container: string,
      query?: Query<"GET /api/projects/{project}/containers/{container}/logs">,
      options?: CallOptions,
    ) =>
      request("GET", "/api/projects/{project}/containers/{container}/logs", {
        ...options,
        path: { project, container },
        query,
      }),
  };
}
