import type { Endpoint } from "#src/http/endpoint.ts";
import type { Socket } from "#src/http/socket.ts";
import { config } from "./config.ts";
import { docs, docsScript } from "./docs.ts";
import { featureFlags } from "./feature-flags.ts";
import { health } from "./health.ts";
import { openApi } from "./openapi.ts";
import { ready } from "./ready.ts";
import { checkCompatibility, version } from "./version.ts";

/** Endpoints that describe the service itself. */
export function metaEndpoints(
  all: () => readonly Endpoint[],
  sockets: readonly Socket[],
): readonly Endpoint[] {
  return [
    health,
    ready,
    config,
    featureFlags,
    version,
    checkCompatibility,
    openApi(all, sockets),
    docs,
    docsScript,
  ];
}
