import { z } from "zod";
import * as projects from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";

export const deleteProject = endpoint({
  operationId: "deleteProject",
  method: "delete",
  path: "/api/projects/:project",
  summary: "Delete a project",
  description: "With its files, snapshots, chats and tasks.",
  tag: "Projects",
  access: { userOrKey: "project.delete" },
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({
      message: z.string(),
      task_id: z.uuid().describe("Ends when the files are deleted; the project itself is already deleted"),
      project_id: z.uuid(),
      project_slug: z.string(),
      status_endpoint: z.string(),
    }),
  },
  async handler({ services, caller, params, client }) {
    const { project, taskId } = await projects.deleteProject(services, caller, params.project, client);
    return {
      message: "Project deleted",
      task_id: taskId,
      project_id: project.id,
      project_slug: project.slug,
      status_endpoint: `/api/tasks/${taskId}/status`,
    };
  },
});
