import { z } from "zod";
import {
  EMPTY_DOCUMENT,
  readConfigFile,
  SettledDocument,
  settleDocument,
} from "#src/domain/workspaces/containers/index.ts";
import { withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";

export const FoundDocument = SettledDocument.extend({
  exists: z.boolean().describe("Whether the project has a configuration document"),
}).meta({ id: "FoundConfigDocument" });

export const getSetupConfig = endpoint({
  operationId: "getConfigDocument",
  method: "get",
  path: "/api/projects/:project/setup-config",
  summary: "Get the configuration document",
  description: "As it is in the project's files.",
  tag: "Containers",
  access: { userOrKey: "file.read" },
  params: ProjectParams,
  response: { status: 200, schema: FoundDocument },
  refusals: [400, 503],
  handler: ({ services, caller, params }) =>
    withRuntime(services, { caller, project: params.project, scope: "file.read" }, async (runtime) => {
      const found = await readConfigFile(runtime);
      return { ...settleDocument(found ?? EMPTY_DOCUMENT, runtime), exists: found !== undefined };
    }),
});
