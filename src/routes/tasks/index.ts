import type { Endpoint } from "#src/http/endpoint.ts";
import { cancel } from "./cancel.ts";
import { events } from "./events.ts";
import { invoke } from "./invoke.ts";
import { list, listForPeople } from "./list.ts";
import { status, statusForPeople } from "./status.ts";
import { stepForPeople, steps, stepsForPeople } from "./steps.ts";

export const taskEndpoints: readonly Endpoint[] = [
  invoke,
  events,
  status,
  statusForPeople,
  cancel,
  list,
  listForPeople,
  steps,
  stepsForPeople,
  stepForPeople,
];
