import { toCsv } from "#src/lib/csv.ts";
import type { Client } from "#src/lib/client.ts";
import type { Db } from "#src/platform/db/client.ts";
import { insertAuditEntry, pageOfAuditEntries, type AuditFilter } from "./queries.ts";

export type ListedEntry = Awaited<ReturnType<typeof pageOfAuditEntries>>["entries"][number];

/** Most rows of one export; older entries need a filter. */
const MAX_EXPORTED = 10_000;

const COLUMNS = [
  "id",
  "created_at",
  "action",
  "user_id",
  "user_name",
  "project_id",
  "project_name",
  "resource_type",
  "resource_id",
  "details",
  "ip_address",
  "user_agent",
  "team_id",
] as const;

/** A page of a team's log, newest first, and the total number of entries. */
export function listAuditEntries(
  deps: { db: Db },
  filter: AuditFilter,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ entries: ListedEntry[]; total: number }> {
  return pageOfAuditEntries(deps.db, filter, { limit: perPage, offset: (page - 1) * perPage });
}

/** The newest 10000 entries as CSV, and the total number. The export itself is logged. */
export async function exportAuditLog(
  deps: { db: Db },
  filter: AuditFilter,
  by: { userId: string; client: Client },
): Promise<{ csv: string; total: number }> {
  const { entries, total } = await pageOfAuditEntries(deps.db, filter, { limit: MAX_EXPORTED, offset: 0 });
  await insertAuditEntry(deps.db, {
    ...by,
    teamId: filter.teamId,
    action: "audit.exported",
    resourceType: "audit_log",
    details: { rows: entries.length },
  });
  const rows = entries.map((each) => {
    const described = describeEntry(each);
    const details = described.details && JSON.stringify(described.details);
    const cells = { ...described, details };
    return COLUMNS.map((name) => cells[name]);
  });
  return { csv: toCsv([COLUMNS, ...rows]), total };
}

/** An entry under the field names that existing clients read. */
export function describeEntry({ entry, projectName, userName }: ListedEntry) {
  return {
    id: entry.id,
    team_id: entry.teamId,
    project_id: entry.projectId,
    project_name: projectName,
    user_id: entry.userId,
    user_name: userName,
    action: entry.action,
    resource_type: entry.resourceType,
    resource_id: entry.resourceId,
    details: entry.details,
    ip_address: entry.ipAddress,
    user_agent: entry.userAgent,
    created_at: entry.createdAt.toISOString(),
  };
}
