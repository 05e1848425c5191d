import { deletePreview } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Message } from "#src/http/schemas.ts";
import { PreviewParams } from "./preview.ts";

export const deleteBrowserPreview = endpoint({
  operationId: "deleteBrowserPreview",
  method: "delete",
  path: "/api/projects/:project/browser-previews/:preview",
  summary: "Delete a browser preview",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  countsAsActivity: true,
  params: PreviewParams,
  response: { status: 200, schema: Message },
  async handler({ services, caller, params }) {
    await deletePreview(services, caller, params);
    return { message: "Browser preview deleted" };
  },
});
