import { z } from "zod";
import { sanitizeName, watchContainers, type Container } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeStatus, ProjectParams } from "../project.ts";
import { addressesOf } from "./container.ts";

const Entry = z.object({
  container_id: z.uuid(),
  name: z.string(),
  running: z.boolean(),
  url: z.string().nullable(),
  preview_path: z.string().nullable(),
  state: z.string(),
  status: z.string(),
  error: z.string().nullable(),
});

export const getContainersSummary = endpoint({
  operationId: "listContainerStatuses",
  method: "get",
  path: "/api/projects/:project/containers/status",
  summary: "Get container statuses",
  description: "The running containers of the project, by container name and directory.",
  tag: "Containers",
  access: { userOrKey: "container.view" },
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({
      status: z.enum(["running", "partial", "stopped"]),
      environment_status: z.string(),
      project_slug: z.string(),
      containers: z.record(z.string(), Entry),
      compute_state: z.enum(["environment", "ephemeral"]),
    }),
  },
  async handler({ services, caller, params }) {
    const { project, containers } = await watchContainers(services, caller, params.project);
    const status = summaryOf(containers);
    const entries = containers.flatMap((container) => {
      const entry = {
        container_id: container.id,
        name: container.name,
        running: isUp(container),
        ...addressesOf(container, { config: services.config, project }),
        state: container.status,
        status: container.status,
        error: container.error,
      };
      return keysOf(container).map((key) => [key, entry] as const);
    });
    return {
      status,
      environment_status: describeStatus(project).environment_status,
      project_slug: project.slug,
      // If several containers share a key, the oldest takes it.
      containers: Object.fromEntries(entries.toReversed()),
      compute_state: status === "stopped" ? ("ephemeral" as const) : ("environment" as const),
    };
  },
});

function isUp({ status }: Container): boolean {
  return status === "running" || status === "connected";
}

/** External containers do not count. */
function summaryOf(containers: readonly Container[]): "running" | "partial" | "stopped" {
  const own = containers.filter(({ deploymentMode }) => deploymentMode === "container");
  const up = own.filter(isUp);
  if (up.length === 0) return "stopped";
  return up.length === own.length ? "running" : "partial";
}

/** Clients look containers up by directory and by name. The unique label distinguishes containers that share both. */
function keysOf({ directory, name, label }: Container): string[] {
  return [...new Set([sanitizeName(directory), sanitizeName(name), label])].filter((key) => key !== "");
}
