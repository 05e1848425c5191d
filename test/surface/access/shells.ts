import type { Rows } from "./row.ts";

/** Shells. */
export const SHELLS: Rows = {
  "POST /api/shell/sessions": {
    admits: "person or key: terminal.access",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/shell/sessions": { admits: "person or key: terminal.access" },
  "GET /api/shell/sessions/{shell}": {
    admits: "person or key: terminal.access",
    stranger: 404,
    viewer: 403,
  },
  "POST /api/shell/sessions/{shell}/write": {
    admits: "person or key: terminal.access",
    stranger: 404,
    viewer: 403,
  },
  "GET /api/shell/sessions/{shell}/output": {
    admits: "person or key: terminal.access",
    stranger: 404,
    viewer: 403,
  },
  "DELETE /api/shell/sessions/{shell}": {
    admits: "person or key: terminal.access",
    stranger: 404,
    viewer: 403,
  },
  "GET /api/terminal/{project}/targets": {
    admits: "person or key: terminal.access",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/agent/execute": {
    admits: "person or key: terminal.access",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/agent/history/{project}": {
    admits: "person or key: terminal.access",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/agent/stats": { admits: "person or key: terminal.access" },
};
