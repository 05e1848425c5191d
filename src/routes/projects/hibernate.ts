import { z } from "zod";
import { requestHibernation } from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";

export const hibernateProject = endpoint({
  operationId: "hibernateProject",
  method: "post",
  path: "/api/projects/:project/hibernate",
  summary: "Hibernate a project",
  description: "The same as `stop`, but refused when the project is already hibernated or being stopped.",
  tag: "Projects",
  access: { userOrKey: "container.start_stop" },
  countsAsActivity: true,
  params: ProjectParams,
  response: { status: 202, schema: z.object({ status: z.literal("stopping"), message: z.string() }) },
  refusals: [400, 409],
  async handler({ services, caller, params }) {
    await requestHibernation(services, caller, params.project);
    return { status: "stopping" as const, message: "The project is being hibernated" };
  },
});
