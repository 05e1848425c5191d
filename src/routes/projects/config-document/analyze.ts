import { analyzeProject } from "#src/domain/workspaces/containers/index.ts";
import { withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { FoundDocument } from "./get.ts";

export const analyze = endpoint({
  operationId: "suggestConfigDocument",
  method: "post",
  path: "/api/projects/:project/analyze",
  summary: "Suggest a configuration document",
  description: "Derives one from the project's files. Nothing is written.",
  tag: "Containers",
  access: { userOrKey: "file.read" },
  countsAsActivity: true,
  params: ProjectParams,
  response: { status: 200, schema: FoundDocument },
  refusals: [400, 503],
  handler: ({ services, caller, params }) =>
    withRuntime(services, { caller, project: params.project, scope: "file.read" }, async (runtime) => ({
      ...(await analyzeProject(runtime)),
      exists: false,
    })),
});
