import { updatePreview } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { BrowserPreview, describePreview, PreviewBody, PreviewParams, previewChange } from "./preview.ts";

export const updateBrowserPreview = endpoint({
  operationId: "updateBrowserPreview",
  method: "patch",
  path: "/api/projects/:project/browser-previews/:preview",
  summary: "Update a browser preview",
  description: "Absent fields are unchanged.",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  countsAsActivity: true,
  params: PreviewParams,
  example: {},
  body: PreviewBody,
  response: { status: 200, schema: BrowserPreview },
  refusals: [400],
  handler: async ({ services, caller, params, body }) =>
    describePreview(await updatePreview(services, caller, params, previewChange(body))),
});
