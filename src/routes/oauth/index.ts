import type { Endpoint } from "#src/http/endpoint.ts";
import { authorize } from "./authorize.ts";
import { callback } from "./callback.ts";

export const oauthEndpoints: readonly Endpoint[] = [authorize, callback];
