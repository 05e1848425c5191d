import type { Endpoint } from "#src/http/endpoint.ts";
import { createKey } from "./create.ts";
import { listScopes } from "./list-scopes.ts";
import { listKeys } from "./list.ts";
import { revokeKey } from "./revoke.ts";

export const apiKeyEndpoints: readonly Endpoint[] = [createKey, listKeys, listScopes, revokeKey];
