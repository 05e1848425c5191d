import { z } from "zod";
import { listProjects as projectsOf } from "#src/domain/workspaces/projects/index.ts";
import { text } from "#src/http/schemas.ts";
import { isId } from "#src/lib/ids.ts";
import { defineTool } from "../tool.ts";

/** Id or slug, for every tool that works in a project. */
export const ProjectId = text({ min: 1, max: 100 }).describe("Id or slug of the project");

const PAGE = 100;

export const listProjects = defineTool({
  name: "list_projects",
  title: "List projects",
  description: "The projects that the caller reaches, newest first. Other tools take their `project_id`.",
  scope: "project.list",
  input: z.object({
    limit: z.number().int().min(1).max(PAGE).default(PAGE),
    after: z
      .string()
      .refine(isId, "must be a `next_cursor`")
      .optional()
      .describe("`next_cursor` of the page before"),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run({ services, caller }, { limit, after }) {
    const found = await projectsOf(services, caller, { limit, after });
    return {
      projects: found.map(({ id, slug, name, description, createdAt }) => ({
        project_id: id,
        slug,
        name,
        description,
        created_at: createdAt.toISOString(),
      })),
      ...(found.length === limit && { next_cursor: found.at(-1)?.id }),
    };
  },
});
