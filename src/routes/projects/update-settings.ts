import { z } from "zod";
import * as projects from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { JsonObject } from "#src/http/schemas.ts";
import { ProjectParams } from "./project.ts";

export const updateSettings = endpoint({
  operationId: "updateProjectSettings",
  method: "patch",
  path: "/api/projects/:project/settings",
  summary: "Merge project settings",
  description: "Each key in the request replaces that key of the project's settings.",
  tag: "Projects",
  access: { userOrKey: "project.settings" },
  countsAsActivity: true,
  params: ProjectParams,
  example: { settings: { theme: "dark" } },
  body: z.object({ settings: JsonObject }),
  response: { status: 200, schema: z.object({ message: z.string(), settings: JsonObject }) },
  async handler({ services, caller, params, body }) {
    const settings = await projects.updateSettings(services, caller, params.project, body.settings);
    return { message: "Settings updated", settings };
  },
});
