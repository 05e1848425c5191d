import type { Endpoint } from "#src/http/endpoint.ts";
import { docs, docsScript } from "./docs.ts";
import { health } from "./health.ts";
import { openApi } from "./openapi.ts";
import { ready } from "./ready.ts";

/** The service about itself. */
export function metaEndpoints(all: () => readonly Endpoint[]): readonly Endpoint[] {
  return [health, ready, openApi(all), docs, docsScript];
}
