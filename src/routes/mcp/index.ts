import type { Endpoint } from "#src/http/endpoint.ts";
import { callMcp, describeMcp } from "./server.ts";

export const mcpEndpoints: readonly Endpoint[] = [callMcp, describeMcp];
