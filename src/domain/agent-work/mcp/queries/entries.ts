import type { SQL } from "drizzle-orm";
import { shareOwnTeam, shareTeam } from "#src/db/locks.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/lib/client.ts";
import type { Db } from "#src/platform/db/client.ts";

/** An entry for the log. */
export interface Entry {
  userId: string;
  /** Null for the personal team's log. */
  logTeamId: string | null;
  client: Client;
}

export function audit(
  db: Db,
  { userId, logTeamId, client }: Entry,
  { id, projectId }: { id: string; projectId?: string | null | undefined },
  action: string,
  details: Record<string, unknown>,
  onlyIf?: SQL,
) {
  const entry = {
    userId,
    ...(logTeamId !== null && { teamId: logTeamId }),
    ...(projectId && { projectId }),
    action,
    resourceType: "mcp_server",
    resourceId: id,
    details,
    client,
  };
  return insertAuditEntry(db, entry, onlyIf);
}

/** The share lock that an entry needs. */
export const share = (db: Db, { userId, logTeamId }: Entry) =>
  logTeamId === null ? shareOwnTeam(db, userId) : shareTeam(db, logTeamId);
