import { z } from "zod";
import { deleteProject as removeProject } from "#src/domain/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";

export const deleteProject = endpoint({
  method: "delete",
  path: "/api/projects/:project",
  summary: "Delete a project with its files, chats and tasks",
  tag: "Projects",
  access: { userOrKey: "project.delete" },
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({
      message: z.string(),
      task_id: z.null().describe("It is done when the answer comes"),
      project_id: z.uuid(),
      project_slug: z.string(),
      status_endpoint: z.null(),
    }),
  },
  async handler({ services, caller, params }) {
    const { id, slug } = await removeProject(services, caller, params.project);
    return {
      message: "Project deleted",
      task_id: null,
      project_id: id,
      project_slug: slug,
      status_endpoint: null,
    };
  },
});
