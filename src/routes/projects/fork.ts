import { z } from "zod";
import { forkProject as copyProject } from "#src/domain/snapshots/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeProject, Project, ProjectParams } from "./project.ts";

const Forked = Project.extend({
  project: Project,
  task_id: z.uuid().describe("Tells when the files are there"),
  status_endpoint: z.string(),
}).meta({ id: "ForkedProject" });

export const forkProject = endpoint({
  method: "post",
  path: "/api/projects/:project/fork",
  summary: "Make a project of one's own from the files of another, as they are now",
  tag: "Projects",
  access: { userOrKey: "project.create" },
  params: ProjectParams,
  refusals: [409, 503],
  response: { status: 200, schema: Forked },
  async handler({ services, caller, params }) {
    const { project, taskId } = await copyProject(services, caller, params.project);
    const described = describeProject(project);
    const status_endpoint = `/api/tasks/${taskId}/status`;
    return { ...described, project: described, task_id: taskId, status_endpoint };
  },
});
