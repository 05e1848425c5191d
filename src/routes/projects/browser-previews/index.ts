import type { Endpoint } from "#src/http/endpoint.ts";
import { connectBrowserPreview, disconnectBrowserPreview } from "./connect.ts";
import { createBrowserPreview } from "./create.ts";
import { deleteBrowserPreview } from "./delete.ts";
import { listBrowserPreviews } from "./list.ts";
import { updateBrowserPreview } from "./update.ts";

export const browserPreviewEndpoints: readonly Endpoint[] = [
  listBrowserPreviews,
  createBrowserPreview,
  updateBrowserPreview,
  deleteBrowserPreview,
  connectBrowserPreview,
  disconnectBrowserPreview,
];
