import type { Rows } from "./row.ts";

/** Snapshots, exports and templates. */
export const ARCHIVES: Rows = {
  "GET /api/projects/{project}/snapshots": {
    admits: "person or key: snapshot.view",
    stranger: 404,
    project: true,
  },
  "POST /api/projects/{project}/snapshots": {
    admits: "person or key: snapshot.create",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/snapshots/graph": {
    admits: "person or key: snapshot.view",
    stranger: 404,
    project: true,
  },
  "POST /api/projects/{project}/snapshots/{hash}/restore": {
    admits: "person or key: snapshot.restore",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/snapshots/{hash}/diff": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/snapshots/{hash}/file": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/volume/status": {
    admits: "person or key: snapshot.view",
    stranger: 404,
    project: true,
  },
  "POST /api/projects/{project}/volume/recover": {
    admits: "person or key: snapshot.restore",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/export": { admits: "person or key: file.read", stranger: 404, project: true },
  "POST /api/projects/{project}/fork": {
    admits: "person or key: project.create",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/export-template": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "GET /api/bases": { admits: "person or key: marketplace.read" },
  "POST /api/bases": { admits: "person or key: project.create", project: true },
  "GET /api/bases/{base}": { admits: "person or key: marketplace.read", stranger: 404, viewer: 404 },
  "DELETE /api/bases/{base}": {
    admits: "person or key: project.create",
    stranger: 404,
    project: true,
  },
};
