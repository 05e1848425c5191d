import type { Endpoint } from "#src/http/endpoint.ts";
import { exportTeamAuditLog } from "./export.ts";
import { listProjectAuditLog } from "./list-of-project.ts";
import { listTeamAuditLog } from "./list-of-team.ts";

export const auditEndpoints: readonly Endpoint[] = [
  listTeamAuditLog,
  listProjectAuditLog,
  exportTeamAuditLog,
];
