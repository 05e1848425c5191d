import type { Endpoint } from "#src/http/endpoint.ts";
import { createAgent } from "./create.ts";
import { deleteAgent } from "./delete.ts";
import { getAgent } from "./get.ts";
import { listAgents } from "./list.ts";
import { selectModel } from "./select-model.ts";
import { updateAgent } from "./update.ts";

export const agentEndpoints: readonly Endpoint[] = [
  listAgents,
  createAgent,
  getAgent,
  updateAgent,
  deleteAgent,
  selectModel,
];
