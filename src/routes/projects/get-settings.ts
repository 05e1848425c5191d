import { z } from "zod";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { JsonObject } from "#src/http/schemas.ts";
import { ProjectParams } from "./project.ts";

export const getSettings = endpoint({
  operationId: "getProjectSettings",
  method: "get",
  path: "/api/projects/:project/settings",
  summary: "Get project settings",
  tag: "Projects",
  access: { userOrKey: "project.view" },
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({ settings: JsonObject, architecture_diagram: z.null(), diagram_type: z.null() }),
  },
  async handler({ services, caller, params }) {
    const { settings } = await requireProject(services, caller, params.project, "project.view");
    return { settings, architecture_diagram: null, diagram_type: null };
  },
});
