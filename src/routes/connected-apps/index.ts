import type { Endpoint } from "#src/http/endpoint.ts";
import { decide } from "./decide.ts";
import { disconnect } from "./disconnect.ts";
import { list } from "./list.ts";
import { open } from "./open.ts";

/** Programs that a person allowed to act over MCP: those that ask, and those that are connected. */
export const connectedAppEndpoints: readonly Endpoint[] = [list, disconnect, open, decide];
