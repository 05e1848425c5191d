import type { Endpoint } from "#src/http/endpoint.ts";
import { authorizeHosting } from "./authorize.ts";
import { hostingCallback } from "./callback.ts";

export const deploymentOAuthEndpoints: readonly Endpoint[] = [authorizeHosting, hostingCallback];
