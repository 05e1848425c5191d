import { z } from "zod";
import { startAllContainers } from "#src/domain/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { addressesOf } from "./container.ts";

export const startAll = endpoint({
  method: "post",
  path: "/api/projects/:project/containers/start-all",
  summary: "Start a project with all of its containers in the background",
  tag: "Containers",
  access: { userOrKey: "container.start_stop" },
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({
      message: z.string(),
      project_slug: z.string(),
      containers: z.record(
        z.string(),
        z.object({ container_id: z.uuid(), status: z.string(), url: z.string().nullable() }),
      ),
      network: z.null(),
      namespace: z.null(),
      deployment_mode: z.string(),
    }),
  },
  refusals: [400, 409],
  async handler({ services, caller, params }) {
    const { project, containers } = await startAllContainers(services, caller, params.project);
    const around = { config: services.config, project };
    return {
      message: "The containers are being started",
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
