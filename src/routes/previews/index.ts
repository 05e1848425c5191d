import type { Endpoint } from "#src/http/endpoint.ts";
import { enterPreview } from "./enter.ts";
import { verifyAccess } from "./verify-access.ts";

export { previewHosts } from "./preview-host.ts";
export { previewPath } from "./preview-path.ts";

export const previewEndpoints: readonly Endpoint[] = [enterPreview, verifyAccess];
