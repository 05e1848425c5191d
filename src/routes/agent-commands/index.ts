import type { Endpoint } from "#src/http/endpoint.ts";
import { executeCommand } from "./execute.ts";
import { listCommands } from "./history.ts";
import { getCommandStats } from "./stats.ts";

export const commandEndpoints: readonly Endpoint[] = [executeCommand, listCommands, getCommandStats];
