import type { Query } from "@agent-workspace/client";
import { useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Names of what this area reads. */
export const adminKeys = {
  users: ["admin", "users"],
  events: ["admin", "events"],
  jobs: ["admin", "jobs"],
  trail: ["admin", "trail"],
  installation: ["admin", "installation"],
};

export type UserFilter = Pick<Query<"GET /api/admin/users">, "search" | "is_active">;

export const useUsers = (page: number, filter: UserFilter) =>
  useRead([...adminKeys.users, { page, filter }], (signal) =>
    workspace.request("GET", "/api/admin/users", { query: { ...filter, page }, signal }),
  );

export type EventState = Query<"GET /api/admin/billing/events">["status"];

export const usePaymentEvents = (page: number, status: EventState) =>
  useRead([...adminKeys.events, { page, status }], (signal) =>
    workspace.request("GET", "/api/admin/billing/events", {
      query: { page, ...(status && { status }) },
      signal,
    }),
  );

export const useFailedJobs = (page: number) =>
  useRead([...adminKeys.jobs, { page }], (signal) =>
    workspace.request("GET", "/api/admin/jobs", { query: { page }, signal }),
  );

export const useTrail = (page: number, filter: { search?: string }) =>
  useRead([...adminKeys.trail, { page, filter }], (signal) =>
    workspace.request("GET", "/api/admin/audit-logs", { query: { ...filter, page }, signal }),
  );

export const useReadiness = () =>
  useRead([...adminKeys.installation, "ready"], (signal) => workspace.request("GET", "/ready", { signal }));

export const useGateway = () =>
  useRead([...adminKeys.installation, "gateway"], (signal) =>
    workspace.request("GET", "/api/gateway/status", { signal }),
  );
