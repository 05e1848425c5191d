import type { Endpoint } from "#src/http/endpoint.ts";
import { cancelDeployment, deleteDeployment, redeployDeployment } from "./change.ts";
import { createDeployment, deployContainer, deployProject } from "./create.ts";
import { deployAllContainers } from "./deploy-all.ts";
import { getDeployment, getDeploymentLogs, getDeploymentStatus } from "./get.ts";
import { listDeployments, listProjectDeployments } from "./list.ts";
import { streamDeployment } from "./stream.ts";

export const deploymentEndpoints: readonly Endpoint[] = [
  createDeployment,
  deployProject,
  deployContainer,
  deployAllContainers,
  listDeployments,
  listProjectDeployments,
  getDeployment,
  getDeploymentStatus,
  getDeploymentLogs,
  streamDeployment,
  cancelDeployment,
  redeployDeployment,
  deleteDeployment,
];
