import { z } from "zod";
import { listPreviews } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { BrowserPreview, describePreview } from "./preview.ts";

export const listBrowserPreviews = endpoint({
  operationId: "listBrowserPreviews",
  method: "get",
  path: "/api/projects/:project/browser-previews",
  summary: "List browser previews",
  description: "The browser windows on the project's canvas.",
  tag: "Containers",
  access: { userOrKey: "container.view" },
  params: ProjectParams,
  response: { status: 200, schema: z.array(BrowserPreview) },
  handler: async ({ services, caller, params }) =>
    (await listPreviews(services, caller, params.project)).map(describePreview),
});
