import type { Rows } from "./row.ts";

/** Files of a project. */
export const FILES: Rows = {
  "GET /api/projects/{project}/files/tree": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/files/content": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/files/search": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "POST /api/projects/{project}/files/content/batch": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/files": { admits: "person or key: file.read", stranger: 404, project: true },
  "POST /api/projects/{project}/files/save": {
    admits: "person or key: file.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/projects/{project}/files": {
    admits: "person or key: file.delete",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/files/rename": {
    admits: "person or key: file.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/files/mkdir": {
    admits: "person or key: file.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/files/raw": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "PUT /api/projects/{project}/files/raw": {
    admits: "person or key: file.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/files/{path}": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "PUT /api/projects/{project}/files/{path}": {
    admits: "person or key: file.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/projects/{project}/files/{path}": {
    admits: "person or key: file.delete",
    stranger: 404,
    viewer: 403,
    project: true,
  },
};
