import { changes, reads, type Rows } from "./row.ts";

/** Files of a project. */
export const FILES: Rows = {
  "GET /api/projects/{project}/files/tree": reads("file.read"),
  "GET /api/projects/{project}/files/content": reads("file.read"),
  "GET /api/projects/{project}/files/search": reads("file.read"),
  "POST /api/projects/{project}/files/content/batch": reads("file.read"),
  "GET /api/projects/{project}/files": reads("file.read"),
  "POST /api/projects/{project}/files/save": changes("file.write"),
  "DELETE /api/projects/{project}/files": changes("file.delete"),
  "POST /api/projects/{project}/files/rename": changes("file.write"),
  "POST /api/projects/{project}/files/mkdir": changes("file.write"),
  "GET /api/projects/{project}/files/raw": reads("file.read"),
  "PUT /api/projects/{project}/files/raw": changes("file.write"),
  "GET /api/projects/{project}/files/{path}": reads("file.read"),
  "PUT /api/projects/{project}/files/{path}": changes("file.write"),
  "DELETE /api/projects/{project}/files/{path}": changes("file.delete"),
};
