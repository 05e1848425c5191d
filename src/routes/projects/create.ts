import { z } from "zod";
import { createProject as makeProject, SOURCE_TYPES } from "#src/domain/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { describeProject, Project } from "./project.ts";

const Body = z.object({
  name: text({ min: 1, max: 200, trim: true }),
  description: text({ max: 10_000 }).nullish(),
  source_type: z.enum(SOURCE_TYPES).default("base"),
});

const Created = Project.extend({
  project: Project,
  task_id: z.null().describe("There is nothing to wait for"),
  status_endpoint: z.null(),
}).meta({ id: "CreatedProject" });

export const createProject = endpoint({
  method: "post",
  path: "/api/projects",
  summary: "Create a project; it can be used at once",
  tag: "Projects",
  access: { userOrKey: "project.create" },
  body: Body,
  response: { status: 200, schema: Created },
  async handler({ services, caller, body }) {
    const { name, description, source_type: sourceType } = body;
    const project = await makeProject(services, caller, { name, description: description ?? "", sourceType });
    // A new project is announced as `initializing`; the next reading tells the state it has settled in.
    const described = describeProject(project, "initializing");
    return { ...described, project: described, task_id: null, status_endpoint: null };
  },
});
