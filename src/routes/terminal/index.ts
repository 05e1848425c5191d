import type { Endpoint } from "#src/http/endpoint.ts";
import { listTargets } from "./targets.ts";

export const terminalEndpoints: readonly Endpoint[] = [listTargets];
