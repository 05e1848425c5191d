import { z } from "zod";
import { requireProject, touchProject } from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";

export const noteActivity = endpoint({
  operationId: "recordProjectActivity",
  method: "post",
  path: "/api/projects/:project/activity",
  summary: "Record project activity",
  description: "Records that a person is working on the project, which delays its hibernation.",
  tag: "Projects",
  access: { userOrKey: "project.view" },
  params: ProjectParams,
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params }) {
    const { id } = await requireProject(services, caller, params.project, "project.view");
    await touchProject(services.db, id);
    return null;
  },
});
