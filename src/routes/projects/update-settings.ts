import { z } from "zod";
import { updateSettings as mergeSettings } from "#src/domain/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { JsonObject } from "#src/http/schemas.ts";
import { ProjectParams } from "./project.ts";

export const updateSettings = endpoint({
  method: "patch",
  path: "/api/projects/:project/settings",
  summary: "Lay settings over a project's, key by key",
  tag: "Projects",
  access: { userOrKey: "project.settings" },
  params: ProjectParams,
  body: z.object({ settings: JsonObject }),
  response: { status: 200, schema: z.object({ message: z.string(), settings: JsonObject }) },
  async handler({ services, caller, params, body }) {
    const settings = await mergeSettings(services, caller, params.project, body.settings);
    return { message: "Settings updated", settings };
  },
});
