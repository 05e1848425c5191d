import type { api, Query } from "@agent-workspace/client";
import { keys, useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

const PAGE_SIZE = 50;

/** Names of what this area reads. All of it begins with the teams, so that a change of those makes it stale. */
export const teamKeys = {
  members: [...keys.teams, "members"],
  invitations: [...keys.teams, "invitations"],
};

export const useMembers = (team: string) =>
  useRead([...teamKeys.members, team], async (signal) => {
    const found: api.Member[] = [];
    for await (const member of workspace.teams.members(team, { signal })) found.push(member);
    return found;
  });

export const useInvitations = (team: string) =>
  useRead([...teamKeys.invitations, team], (signal) =>
    workspace.request("GET", "/api/teams/{team}/invitations", { path: { team }, signal }),
  );

/** What an audit log is narrowed to; empty texts say nothing. */
export type AuditFilter = Pick<
  Query<"GET /api/teams/{team}/audit-log">,
  "action" | "user_id" | "resource_type" | "from_date" | "to_date"
>;

/** A page of the audit log. The number of entries is in a header. */
export const useAuditLog = (team: string, page: number, filter: AuditFilter) =>
  useRead([...keys.teams, "audit", team, { page, filter }], async (signal) => {
    const query = { ...filter, page, per_page: PAGE_SIZE };
    const response = await workspace.response("GET", "/api/teams/{team}/audit-log", {
      path: { team },
      query,
      signal,
    });
    const entries: api.AuditEntry[] = await response.json();
    const total = Number(response.headers.get("x-total-count") ?? entries.length);
    return { entries, pages: Math.ceil(total / PAGE_SIZE) };
  });
