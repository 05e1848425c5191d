import type { Endpoint } from "#src/http/endpoint.ts";
import { endAlwaysOn, makeAlwaysOn } from "./change.ts";
import { getDeployLimits } from "./limits.ts";

export const alwaysOnEndpoints: readonly Endpoint[] = [getDeployLimits, makeAlwaysOn, endAlwaysOn];
