import type { Endpoint } from "#src/http/endpoint.ts";
import { connectionEndpoints } from "./connections/index.ts";
import { createContainer } from "./create.ts";
import { deleteContainer } from "./delete.ts";
import { getContainer } from "./get.ts";
import { getDevServerUrl } from "./get-dev-server-url.ts";
import { getContainerInfo } from "./get-info.ts";
import { getContainerStatus } from "./get-readiness.ts";
import { getContainersSummary } from "./get-summary.ts";
import { getContainerHealth } from "./health.ts";
import { listContainers } from "./list.ts";
import { getContainerLogs } from "./logs.ts";
import { renameContainer } from "./rename.ts";
import { revealVariable } from "./reveal-variable.ts";
import { setCredentials } from "./set-credentials.ts";
import { setDeploymentTarget } from "./set-deployment-target.ts";
import { restartAll, startAll } from "./start-all.ts";
import { restartContainer, startContainer } from "./start.ts";
import { stopAll } from "./stop-all.ts";
import { stopContainer } from "./stop.ts";
import { updateContainer } from "./update.ts";

/** Literal paths come before the path of one container. */
export const containerEndpoints: readonly Endpoint[] = [
  ...connectionEndpoints,
  getContainersSummary,
  getContainerStatus,
  getContainerInfo,
  getDevServerUrl,
  startAll,
  restartAll,
  stopAll,
  listContainers,
  createContainer,
  getContainer,
  updateContainer,
  deleteContainer,
  renameContainer,
  setCredentials,
  revealVariable,
  setDeploymentTarget,
  startContainer,
  restartContainer,
  stopContainer,
  getContainerHealth,
  getContainerLogs,
];
