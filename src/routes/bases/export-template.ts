import * as snapshots from "#src/domain/workspaces/snapshots/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../projects/project.ts";
import { Base, BaseFields, describeBase, wishOf } from "./base.ts";

export const exportTemplate = endpoint({
  operationId: "createTemplateFromProject",
  method: "post",
  path: "/api/projects/:project/export-template",
  summary: "Create a template from a project",
  description: "Copies the project's current files, without .git and node_modules.",
  tag: "Templates",
  access: { userOrKey: "file.read" },
  countsAsActivity: true,
  params: ProjectParams,
  example: { name: "Starter" },
  body: BaseFields,
  refusals: [409, 503],
  response: { status: 201, schema: Base },
  async handler({ services, caller, params, body }) {
    const wish = { ...wishOf(body), project: params.project };
    return describeBase(await snapshots.exportTemplate(services, caller, wish));
  },
});
