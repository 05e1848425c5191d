import { z } from "zod";
import { defineTool } from "./tool.ts";

export const getProjectInfo = defineTool({
  name: "get_project_info",
  description: "Look up the name, description, owner and dates of the project you work on.",
  parameters: z.object({}),
  effect: "read",
  scope: "project.view",
  async run(_args, { project }) {
    return {
      success: true,
      message: `This is the project ${project.name}.`,
      id: project.id,
      name: project.name,
      slug: project.slug,
      description: project.description,
      details: {
        owner_id: project.ownerId,
        created_at: project.createdAt.toISOString(),
        updated_at: project.updatedAt?.toISOString() ?? null,
      },
    };
  },
});
