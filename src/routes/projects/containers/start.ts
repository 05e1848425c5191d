import { z } from "zod";
import { openContainer } from "#src/domain/workspaces/containers/index.ts";
import * as lifecycle from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { addressesOf, ContainerParams } from "./container.ts";

const Started = z
  .object({
    task_id: z.uuid().nullable(),
    message: z.string(),
    container_name: z.string(),
    status_url: z.string().nullable(),
    already_running: z.boolean(),
    already_started: z.boolean(),
    completed: z.boolean(),
    url: z.string().nullable(),
  })
  .meta({ id: "StartedContainer" });

/** A restart replaces a running program; a start leaves it alone. */
const startBy = (verb: "start" | "restart", use: typeof lifecycle.startContainer) =>
  endpoint({
    operationId: `${verb}Container`,
    method: "post",
    path: `/api/projects/:project/containers/:container/${verb}`,
    summary: `${verb === "start" ? "Start" : "Restart"} a container`,
    description: "Runs in the background.",
    tag: "Containers",
    access: { userOrKey: "container.start_stop" },
    countsAsActivity: true,
    params: ContainerParams,
    response: { status: 202, schema: Started },
    refusals: [409],
    async handler({ services, caller, params }) {
      const { taskId, containerName, alreadyRunning, alreadyStarted } = await use(services, caller, params);
      const { project, container } = await openContainer(services, caller, params, "container.start_stop");
      return {
        task_id: taskId,
        message: alreadyRunning
          ? `${containerName} is already running`
          : `${containerName} is being ${verb}ed`,
        container_name: containerName,
        status_url: taskId === null ? null : `/api/tasks/${taskId}/status`,
        already_running: alreadyRunning,
        already_started: alreadyStarted,
        completed: alreadyRunning,
        url: alreadyRunning ? addressesOf(container, { config: services.config, project }).url : null,
      };
    },
  });

export const startContainer = startBy("start", lifecycle.startContainer);
export const restartContainer = startBy("restart", lifecycle.restartContainer);
