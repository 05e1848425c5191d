import { keys, useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

export const membersKey = (project: string) => [...keys.project(project), "members"];
export const limitsKey = ["always-on-limits"];

export const useMembers = (project: string) =>
  useRead(membersKey(project), (signal) =>
    workspace.request("GET", "/api/projects/{project}/members", {
      path: { project },
      query: { limit: 100 },
      signal,
    }),
  );

export const useLimits = () =>
  useRead(limitsKey, (signal) => workspace.request("GET", "/api/projects/deployment/limits", { signal }));
