import { z } from "zod";
import { deleteProject as removeProject } from "#src/domain/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";

export const deleteProject = endpoint({
  method: "delete",
  path: "/api/projects/:project",
  summary: "Delete a project with its files, snapshots, chats and tasks",
  tag: "Projects",
  access: { userOrKey: "project.delete" },
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({
      message: z.string(),
      task_id: z.uuid().describe("Ends when the files are gone, too; the project is gone now"),
      project_id: z.uuid(),
      project_slug: z.string(),
      status_endpoint: z.string(),
    }),
  },
  async handler({ services, caller, params }) {
    const { project, taskId } = await removeProject(services, caller, params.project);
    return {
      message: "Project deleted",
      task_id: taskId,
      project_id: project.id,
      project_slug: project.slug,
      status_endpoint: `/api/tasks/${taskId}/status`,
    };
  },
});
