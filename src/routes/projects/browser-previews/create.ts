import { createPreview } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { BrowserPreview, describePreview, PreviewBody, previewChange } from "./preview.ts";

export const createBrowserPreview = endpoint({
  operationId: "createBrowserPreview",
  method: "post",
  path: "/api/projects/:project/browser-previews",
  summary: "Create a browser preview",
  description: "Adds a browser window to the project's canvas.",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  countsAsActivity: true,
  params: ProjectParams,
  example: {},
  body: PreviewBody,
  response: { status: 200, schema: BrowserPreview },
  refusals: [400],
  handler: async ({ services, caller, params, body }) =>
    describePreview(await createPreview(services, caller, params.project, previewChange(body))),
});
