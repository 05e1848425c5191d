import type { api } from "@agent-workspace/client";
import { useListed, useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Names of what is read for deployments. */
export const names = {
  deployments: ["deployments"],
  deployment: (deployment: string) => ["deployments", deployment],
  credentials: ["deployment-credentials"],
} as const;

/** Entries of one page of the list. */
export const DEPLOYMENTS = 50;

const OVER = new Set<api.Deployment["status"]>(["success", "failed", "cancelled"]);
/** Whether nothing more happens to a deployment by itself. */
export const isOver = ({ status }: Pick<api.Deployment, "status">): boolean => OVER.has(status);

/** Those of a project, or without one those that the person requested. */
export const useDeployments = (project: string, page: number) =>
  useListed([...names.deployments, "list", project, page], (signal) =>
    workspace.deployments.list(
      {
        ...(project !== "" && { project_id: project }),
        limit: DEPLOYMENTS,
        offset: (page - 1) * DEPLOYMENTS,
      },
      { signal },
    ),
  );

export const useDeployment = (deployment: string) =>
  useRead(names.deployment(deployment), (signal) => workspace.deployments.get(deployment, { signal }));

export const useProviders = () =>
  useRead(["hosting-providers"], async (signal) => {
    const path = "/api/deployment-credentials/providers";
    return (await workspace.request("GET", path, { signal })).providers;
  });

export const useCredentials = () =>
  useRead(
    names.credentials,
    async (signal) => (await workspace.request("GET", "/api/deployment-credentials", { signal })).credentials,
  );
