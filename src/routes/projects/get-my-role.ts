import { z } from "zod";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";

export const getMyRole = endpoint({
  operationId: "getMyProjectRole",
  method: "get",
  path: "/api/projects/:project/my-role",
  summary: "Get the caller's project role",
  tag: "Projects",
  access: { userOrKey: "project.view" },
  params: ProjectParams,
  response: { status: 200, schema: z.object({ role: z.enum(["admin", "editor", "viewer"]) }) },
  async handler({ services, caller, params }) {
    const { role } = await requireProject(services, caller, params.project, "project.view");
    return { role };
  },
});
