import type { Request } from "../http/request.ts";
import type { Answer, CallOptions } from "../http/route.ts";
import { answerTo } from "../http/request.ts";
import type { RawBody } from "../http/body.ts";
import type { Transport } from "../http/transport.ts";

/** Files of a project. Paths are relative to its root. */
export function files(request: Request, transport: Transport) {
  return {
    /** Every file and directory, a directory before its entries. */
    list: (project: string, options?: CallOptions) =>
      request("GET", "/api/projects/{project}/files/tree", { ...options, path: { project } }),
    /** A file's text. */
    readText: async (project: string, path: string, options?: CallOptions): Promise<string> => {
      const template = "/api/projects/{project}/files/content";
      const file = await request("GET", template, { ...options, path: { project }, query: { path } });
      return file.content;
    },
    /** A file's bytes. `Workspace.response` gives them as a stream. */
    read: (project: string, path: string, options?: CallOptions) =>
      request("GET", "/api/projects/{project}/files/raw", { ...options, path: { project }, query: { path } }),
    /**
     * Creates or replaces a file, with its missing directories.
     *
     * @example
     * await workspace.files.write(project, "notes/today.md", "# Today");
     */
    write: (project: string, path: string, content: RawBody, options?: CallOptions) =>
      answerTo<Answer<"PUT /api/projects/{project}/files/raw">>(transport, {
        ...options,
        method: "PUT",
        template: "/api/projects/{project}/files/raw",
        path: { project },
        query: { path },
        headers: { "content-type": "application/octet-stream", ...options?.headers },
        body: content,
      }),
    /** Deletes a file or an empty directory; with `recursive` a directory and all in it. */
    delete: (
      project: string,
      path: string,
      { recursive = false, ...options }: CallOptions & { recursive?: boolean } = {},
    ) =>
      request("DELETE", "/api/projects/{project}/files", {
        ...options,
        path: { project },
        body: { file_path: path, is_directory: recursive },
      }),
    rename: (project: string, from: string, to: string, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/files/rename", {
        ...options,
        path: { project },
        body: { old_path: from, new_path: to },
      }),
    /** Creates a directory and its parents. */
    mkdir: (project: string, path: string, options?: CallOptions) =>
      request("POST", "/api/projects/{project}/files/mkdir", {
        ...options,
        path: { project },
        body: { dir_path: path },
      }),
  };
}
