import { z } from "zod";
import { restartAllContainers, startAllContainers } from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { addressesOf } from "./container.ts";

const StartedContainers = z
  .object({
    message: z.string(),
    project_slug: z.string(),
    containers: z.record(
      z.string(),
      z.object({ container_id: z.uuid(), status: z.string(), url: z.string().nullable() }),
    ),
    network: z.null(),
    namespace: z.null(),
    deployment_mode: z.string(),
  })
  .meta({ id: "StartedContainers" });

/** As for one container: a start leaves running programs alone. */
const startAllBy = (verb: "start" | "restart", use: typeof startAllContainers) =>
  endpoint({
    operationId: `${verb}AllContainers`,
    method: "post",
    path: `/api/projects/:project/containers/${verb}-all`,
    summary: `${verb === "start" ? "Start" : "Restart"} all containers`,
    description: "Runs in the background.",
    tag: "Containers",
    access: { userOrKey: "container.start_stop" },
    countsAsActivity: true,
    params: ProjectParams,
    response: { status: 200, schema: StartedContainers },
    refusals: [400, 409],
    async handler({ services, caller, params }) {
      const { project, containers } = await use(services, caller, params.project);
      const around = { config: services.config, project };
      return {
        message: `The containers are being ${verb}ed`,
        project_slug: project.slug,
        containers: Object.fromEntries(
          containers.map((container) => [
            container.name,
            {
              container_id: container.id,
              status: container.status,
              url: addressesOf(container, around).url,
            },
          ]),
        ),
        network: null,
        namespace: null,
        deployment_mode: services.config.PROJECT_RUNTIME,
      };
    },
  });

export const startAll = startAllBy("start", startAllContainers);
export const restartAll = startAllBy("restart", restartAllContainers);
