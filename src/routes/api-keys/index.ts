import type { Endpoint } from "#src/http/endpoint.ts";
import { createKey } from "./create.ts";
import { listScopes } from "./list-scopes.ts";
import { listKeys } from "./list.ts";
import { revokeKey } from "./revoke.ts";
import { rotateSecret } from "./rotate-secret.ts";

export const apiKeyEndpoints: readonly Endpoint[] = [
  createKey,
  listKeys,
  listScopes,
  rotateSecret,
  revokeKey,
];
