import { z } from "zod";
import * as projects from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { PAGES, pageQuery, replyWithPage } from "#src/http/list-page.ts";
import { text } from "#src/http/schemas.ts";
import { describeProject, Project } from "./project.ts";

export const listProjects = endpoint({
  operationId: "listProjects",
  method: "get",
  path: "/api/projects",
  summary: "List projects",
  description: `The projects that the caller can see, newest first. ${PAGES}.`,
  tag: "Projects",
  access: { userOrKey: "project.list" },
  query: pageQuery(z.uuid()).extend({ team: text({ max: 100 }).optional().describe("Slug of a team") }),
  response: { status: 200, schema: z.array(Project) },
  async handler({ services, caller, query }) {
    const found = await projects.listProjects(services, caller, { ...query, after: query.cursor });
    return replyWithPage(found, query, {
      describe: (project) => describeProject(project),
      cursorOf: ({ id }) => id,
    });
  },
});
