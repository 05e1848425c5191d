import { z } from "zod";
import { requestHibernation } from "#src/domain/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";

export const hibernateProject = endpoint({
  method: "post",
  path: "/api/projects/:project/hibernate",
  summary: "Stop a project, as `stop` does; refused where that is done or under way",
  tag: "Projects",
  access: { userOrKey: "container.start_stop" },
  params: ProjectParams,
  response: { status: 202, schema: z.object({ status: z.literal("stopping"), message: z.string() }) },
  refusals: [400, 409],
  async handler({ services, caller, params }) {
    await requestHibernation(services, caller, params.project);
    return { status: "stopping" as const, message: "The project is being hibernated" };
  },
});
