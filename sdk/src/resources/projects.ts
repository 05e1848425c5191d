import type { Project } from "../generated/types.gen.ts";
import type { Request } from "../http/request.ts";
import type { Body, CallOptions, Query } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import { byCursor } from "./pages.ts";

/** Projects. Each is named by its id or its slug. */
export function projects(request: Request, transport: Transport) {
  return {
    /**
     * Creates a project.
     *
     * @example
     * const { id } = await workspace.projects.create({ name: "First steps", source_type: "empty" });
     */
    create: (body: Body<"POST /api/projects">, options?: CallOptions) =>
      request("POST", "/api/projects", { ...options, body }),
    /** The caller's projects; all, or the page that `limit` and `cursor` name. */
    list: (query?: Query<"GET /api/projects">, options?: CallOptions) =>
      request("GET", "/api/projects", { ...options, query }),
    /** Iterates over all projects, a page at a time. */
    all: (query?: Pick<Query<"GET /api/projects">, "team">, options?: CallOptions) =>
      byCursor<Project>(transport, { ...options, template: "/api/projects", query }),
    get: (project: string, options?: CallOptions) =>
      request("GET", "/api/projects/{project}", { ...options, path: { project } }),
    update: (project: string, body: Body<"PATCH /api/projects/{project}">, options?: CallOptions) =>
      request("PATCH", "/api/projects/{project}", { ...options, path: { project }, body }),
    delete: (project: string, options?: CallOptions) =>
      request("DELETE", "/api/projects/{project}", { ...options, path: { project } }),
    /** Whether its runtime is up. */
    status: (project: string, options?: CallOptions) =>
      request("GET", "/api/projects/{project}/status", { ...options, path: { project } }),
    start: (project: string, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/start", { ...options, path: { project } }),
    stop: (project: string, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/stop", { ...options, path: { project } }),
    fork: (project: string, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/fork", { ...options, path: { project } }),
    /** Its files as a `.tar.gz`. `Workspace.response` gives the same as a stream. */
    export: (project: string, options?: CallOptions) =>
      request("GET", "/api/projects/{project}/export", { ...options, path: { project } }),
  };
}
