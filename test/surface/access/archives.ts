import { anyone, changes, reads, type Rows } from "./row.ts";

/** Snapshots, exports and templates. */
export const ARCHIVES: Rows = {
  "GET /api/projects/{project}/snapshots": reads("snapshot.view"),
  "POST /api/projects/{project}/snapshots": changes("snapshot.create"),
  "GET /api/projects/{project}/snapshots/graph": reads("snapshot.view"),
  "POST /api/projects/{project}/snapshots/{hash}/restore": changes("snapshot.restore"),
  "GET /api/projects/{project}/snapshots/{hash}/diff": reads("file.read"),
  "GET /api/projects/{project}/snapshots/{hash}/file": reads("file.read"),
  "GET /api/projects/{project}/volume/status": reads("snapshot.view"),
  "POST /api/projects/{project}/volume/recover": changes("snapshot.restore"),
  "GET /api/projects/{project}/export": reads("file.read"),
  "POST /api/projects/{project}/fork": changes("project.create"),
  "POST /api/projects/{project}/export-template": reads("file.read"),
  "GET /api/bases": anyone("marketplace.read"),
  "POST /api/bases": { admits: "person or key: project.create", project: true },
  "GET /api/bases/{base}": { admits: "person or key: marketplace.read", stranger: 404, viewer: 404 },
  "DELETE /api/bases/{base}": reads("project.create"),
};
