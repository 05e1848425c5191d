import type { Endpoint } from "#src/http/endpoint.ts";
import { cancel } from "./cancel.ts";
import { events } from "./events.ts";
import { invoke } from "./invoke.ts";
import { list } from "./list.ts";
import { status } from "./status.ts";
import { steps } from "./steps.ts";

export const taskEndpoints: readonly Endpoint[] = [invoke, events, status, cancel, list, steps];
