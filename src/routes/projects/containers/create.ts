import { z } from "zod";
import * as containers from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { ProjectParams } from "../project.ts";
import { Container, describeChanged, Name, Port, Variables } from "./container.ts";

const Body = z.object({
  name: Name.optional().describe("`service_slug`, or `app`, when absent"),
  project_id: z.string().optional().describe("Ignored: the project is that of the path"),
  base_id: text({ max: 100 }).nullish(),
  directory: text({ max: 4096 })
    .optional()
    .describe("Relative to the project; made from the name when absent"),
  position_x: z.number().default(0),
  position_y: z.number().default(0),
  container_type: z.enum(["base", "service"]).default("base"),
  service_slug: text({ min: 1, max: 100 }).nullish(),
  service_type: text({ max: 100 }).nullish(),
  image: text({ max: 500 }).nullish(),
  deployment_mode: z.enum(["container", "external"]).default("container"),
  external_endpoint: text({ max: 2048 }).nullish(),
  credentials: Variables.optional(),
  port: Port.nullish(),
  startup_command: text({ max: 4000 }).nullish().describe("null for static files"),
  build_command: text({ max: 4000 }).nullish(),
  output_directory: text({ max: 4096 }).nullish(),
  framework: text({ max: 100 }).nullish(),
  environment_vars: Variables.nullish().describe(
    "The container's variables, under the name that responses use",
  ),
  env_vars: Variables.optional().describe(
    "Other name of the same field; its value wins when both set a variable",
  ),
});

export const createContainer = endpoint({
  operationId: "createContainer",
  method: "post",
  path: "/api/projects/:project/containers",
  summary: "Create a container",
  description: "A number is appended to the name and the directory when they are taken.",
  tag: "Containers",
  access: { userOrKey: "container.create" },
  countsAsActivity: true,
  params: ProjectParams,
  example: { name: "web" },
  body: Body,
  response: {
    status: 200,
    schema: z.object({
      container: Container,
      task_id: z.null().describe("Always null: there is nothing to wait for"),
      status_endpoint: z.null(),
    }),
  },
  refusals: [400, 409],
  async handler({ services, caller, params, body }) {
    const made = await containers.createContainer(services, caller, params.project, {
      name: body.name ?? body.service_slug ?? "app",
      directory: body.directory,
      baseId: body.base_id ?? null,
      containerType: body.container_type,
      serviceSlug: body.service_slug ?? null,
      serviceType: body.service_type ?? null,
      image: body.image ?? null,
      deploymentMode: body.deployment_mode,
      externalEndpoint: body.external_endpoint ?? null,
      port: body.port ?? null,
      startupCommand: body.startup_command ?? null,
      buildCommand: body.build_command ?? null,
      outputDirectory: body.output_directory ?? null,
      framework: body.framework ?? null,
      positionX: body.position_x,
      positionY: body.position_y,
      env: { ...body.environment_vars, ...body.env_vars },
      credentials: body.credentials,
    });
    return { container: await describeChanged(services, made), task_id: null, status_endpoint: null };
  },
});
