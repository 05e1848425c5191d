import { z } from "zod";
import { updateProject } from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { JsonObject, text } from "#src/http/schemas.ts";
import { describeProject, Project, ProjectParams } from "./project.ts";

const Body = z
  .object({
    name: text({ min: 1, max: 200, trim: true }).optional(),
    description: text({ max: 10_000 })
      .nullish()
      .transform((description) => (description === null ? "" : description)),
    visibility: z.enum(["private", "team", "public"]).optional(),
    settings: JsonObject.optional().describe("Replaces the settings; PATCH …/settings merges them"),
  })
  .meta({ id: "ProjectChange" });

/** Both methods change only the given fields, because existing clients send partial bodies with either. */
const update = (method: "put" | "patch") =>
  endpoint({
    operationId: method === "put" ? "putProject" : "updateProject",
    method,
    path: "/api/projects/:project",
    summary: "Update a project",
    description: "Absent fields are unchanged.",
    tag: "Projects",
    access: { userOrKey: "project.edit" },
    countsAsActivity: true,
    params: ProjectParams,
    example: { name: "My app" },
    body: Body,
    response: { status: 200, schema: Project },
    handler: async ({ services, caller, params, body, client }) =>
      describeProject(await updateProject(services, caller, params.project, body, client)),
  });

export const putProject = update("put");
export const patchProject = update("patch");
