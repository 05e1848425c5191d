import { z } from "zod";
import { updatePreview } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { BrowserPreview, describePreview, PreviewParams } from "./preview.ts";

export const connectBrowserPreview = endpoint({
  operationId: "connectBrowserPreview",
  method: "post",
  path: "/api/projects/:project/browser-previews/:preview/connect/:container",
  summary: "Connect a browser preview",
  description: "Shows a container in the browser window.",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  countsAsActivity: true,
  params: PreviewParams.extend({ container: z.string().describe("Id of the container") }),
  response: { status: 200, schema: BrowserPreview },
  refusals: [400],
  async handler({ services, caller, params }) {
    const { container: connectedContainerId, ...path } = params;
    return describePreview(await updatePreview(services, caller, path, { connectedContainerId }));
  },
});

export const disconnectBrowserPreview = endpoint({
  operationId: "disconnectBrowserPreview",
  method: "post",
  path: "/api/projects/:project/browser-previews/:preview/disconnect",
  summary: "Disconnect a browser preview",
  description: "The browser window then shows nothing.",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  countsAsActivity: true,
  params: PreviewParams,
  response: { status: 200, schema: BrowserPreview },
  handler: async ({ services, caller, params }) =>
    describePreview(await updatePreview(services, caller, params, { connectedContainerId: null })),
});
