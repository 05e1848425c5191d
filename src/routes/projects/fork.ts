import { z } from "zod";
import * as snapshots from "#src/domain/workspaces/snapshots/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeProject, Project, ProjectParams } from "./project.ts";

const Forked = Project.extend({
  project: Project,
  task_id: z.uuid().describe("Background task that ends when the files are copied"),
  status_endpoint: z.string(),
}).meta({ id: "ForkedProject" });

export const forkProject = endpoint({
  operationId: "forkProject",
  method: "post",
  path: "/api/projects/:project/fork",
  summary: "Fork a project",
  description: "Creates a project of the caller's from a copy of the current files of another.",
  tag: "Projects",
  access: { userOrKey: "project.create" },
  countsAsActivity: true,
  params: ProjectParams,
  refusals: [402, 409, 503],
  response: { status: 200, schema: Forked },
  async handler({ services, caller, params }) {
    const { project, taskId } = await snapshots.forkProject(
      services,
      caller,
      params.project,
      services.config,
    );
    const described = describeProject(project);
    const status_endpoint = `/api/tasks/${taskId}/status`;
    return { ...described, project: described, task_id: taskId, status_endpoint };
  },
});
