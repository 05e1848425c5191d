import type { Endpoint } from "#src/http/endpoint.ts";
import { beginDevice } from "./begin.ts";
import { decideDevice } from "./decide.ts";
import { lookUpDevice } from "./look-up.ts";
import { refreshDevice } from "./refresh.ts";
import { deviceToken } from "./token.ts";

/** Signing in on a device without a browser. Source: RFC 8628. */
export const deviceEndpoints: readonly Endpoint[] = [
  beginDevice,
  deviceToken,
  refreshDevice,
  lookUpDevice,
  decideDevice,
];
