import type { Endpoint } from "#src/http/endpoint.ts";
import { listPlatformIdentities, unlinkPlatformIdentity } from "./identities.ts";
import { pairPreview, pairVerify } from "./pair-verify.ts";
import { platforms } from "./platforms.ts";
import { reload } from "./reload.ts";
import { status } from "./status.ts";

export const gatewayEndpoints: readonly Endpoint[] = [
  status,
  reload,
  platforms,
  pairPreview,
  pairVerify,
  listPlatformIdentities,
  unlinkPlatformIdentity,
];
