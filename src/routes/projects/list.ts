import { z } from "zod";
import { listProjects as projectsOf } from "#src/domain/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { describeProject, Project } from "./project.ts";

export const listProjects = endpoint({
  method: "get",
  path: "/api/projects",
  summary: "Projects the caller may see, newest first",
  tag: "Projects",
  access: { userOrKey: "project.list" },
  query: z.object({ team: text({ max: 100 }).optional().describe("Slug of a team") }),
  response: { status: 200, schema: z.array(Project) },
  handler: async ({ services, caller, query }) =>
    (await projectsOf(services, caller, query)).map((project) => describeProject(project)),
});
