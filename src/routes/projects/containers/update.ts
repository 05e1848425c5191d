import { z } from "zod";
import * as containers from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { Container, ContainerParams, describeChanged, Name, Port, Variables } from "./container.ts";

const Body = z.object({
  name: Name.optional(),
  directory: text({ max: 4096 }).optional(),
  port: Port.nullish(),
  startup_command: text({ max: 4000 }).nullish(),
  build_command: text({ max: 4000 }).nullish(),
  output_directory: text({ min: 1, max: 4096 }).nullish(),
  framework: text({ max: 100 }).nullish(),
  icon: text({ max: 200 }).nullish(),
  tech_stack: z
    .array(text({ max: 100 }))
    .max(50)
    .optional(),
  position_x: z.number().optional(),
  position_y: z.number().optional(),
  env_vars_to_set: Variables.optional(),
  environment_vars: Variables.nullish().describe("As `env_vars_to_set`, under the name that responses have"),
  env_vars_to_delete: z.array(z.string()).max(1000).optional(),
});

export const updateContainer = endpoint({
  operationId: "updateContainer",
  method: "patch",
  path: "/api/projects/:project/containers/:container",
  summary: "Update a container",
  description: "Absent fields are unchanged. A running program sees the change after a restart.",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  countsAsActivity: true,
  params: ContainerParams,
  example: { name: "frontend" },
  body: Body,
  response: { status: 200, schema: Container },
  refusals: [400, 409],
  async handler({ services, caller, params, body }) {
    const updated = await containers.updateContainer(services, caller, params, {
      name: body.name,
      directory: body.directory,
      port: body.port,
      startupCommand: body.startup_command,
      buildCommand: body.build_command,
      outputDirectory: body.output_directory,
      framework: body.framework,
      icon: body.icon,
      techStack: body.tech_stack,
      positionX: body.position_x,
      positionY: body.position_y,
      setVariables: setVariables(body),
      deleteVariables: body.env_vars_to_delete,
    });
    return describeChanged(services, updated);
  },
});

function setVariables({ environment_vars: named, env_vars_to_set: toSet }: z.output<typeof Body>) {
  return named || toSet ? { ...named, ...toSet } : undefined;
}
