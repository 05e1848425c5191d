import type { Endpoint } from "#src/http/endpoint.ts";
import { callMcp, describeMcp } from "./server.ts";
import { mcpOAuthEndpoints } from "./oauth/index.ts";
import { mcpServerEndpoints } from "./servers/index.ts";

export const mcpEndpoints: readonly Endpoint[] = [
  callMcp,
  describeMcp,
  ...mcpOAuthEndpoints,
  ...mcpServerEndpoints,
];
