import { anyone, changes, type Rows } from "./row.ts";

/** Shells. */
export const SHELLS: Rows = {
  "POST /api/shell/sessions": changes("terminal.access"),
  "GET /api/shell/sessions": anyone("terminal.access"),
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
  "GET /api/terminal/{project}/targets": changes("terminal.access"),
  "POST /api/agent/execute": changes("terminal.access"),
  "GET /api/agent/history/{project}": changes("terminal.access"),
  "GET /api/agent/stats": anyone("terminal.access"),
};
