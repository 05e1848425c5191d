import { updatePreview } from "#src/domain/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { BrowserPreview, describePreview, PreviewBody, PreviewParams, previewChange } from "./preview.ts";

export const updateBrowserPreview = endpoint({
  method: "patch",
  path: "/api/projects/:project/browser-previews/:preview",
  summary: "Change a browser window; what is not named stays as it is",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  params: PreviewParams,
  body: PreviewBody,
  response: { status: 200, schema: BrowserPreview },
  refusals: [400],
  handler: async ({ services, caller, params, body }) =>
    describePreview(await updatePreview(services, caller, params, previewChange(body))),
});
