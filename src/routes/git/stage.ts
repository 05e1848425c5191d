import { z } from "zod";
import { stageChanges } from "#src/domain/workspaces/git/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../projects/project.ts";

export const stage = endpoint({
  operationId: "stageGitFiles",
  method: "post",
  path: "/api/projects/:project/git/stage",
  summary: "Stage files",
  description: "Named files, deleted ones included, or everything that changed.",
  tag: "Git",
  access: { userOrKey: "git.write" },
  params: ProjectParams,
  example: {},
  body: z.object({ files: z.array(z.string()).max(1000).nullish().describe("Everything when absent") }),
  refusals: [409, 503],
  response: { status: 200, schema: z.object({ message: z.string(), staged_count: z.int() }) },
  async handler({ services, caller, params, body }) {
    const { staged } = await stageChanges(services, { caller, project: params.project }, body.files ?? null);
    return { message: "Staged", staged_count: staged };
  },
});
