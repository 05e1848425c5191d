import type { Endpoint } from "#src/http/endpoint.ts";
import { creditsOfTeam, creditsStatus } from "./credits.ts";
import { usage } from "./usage.ts";
import { usageLogs } from "./usage-logs.ts";

export const billingEndpoints: readonly Endpoint[] = [usage, usageLogs, creditsOfTeam, creditsStatus];
