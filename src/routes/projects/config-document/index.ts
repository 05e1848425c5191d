import type { Endpoint } from "#src/http/endpoint.ts";
import { analyze } from "./analyze.ts";
import { getSetupConfig } from "./get.ts";
import { setSetupConfig } from "./set.ts";
import { syncConfig } from "./sync.ts";

export const configDocumentEndpoints: readonly Endpoint[] = [
  getSetupConfig,
  setSetupConfig,
  syncConfig,
  analyze,
];
