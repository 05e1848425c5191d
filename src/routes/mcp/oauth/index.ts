import type { Endpoint } from "#src/http/endpoint.ts";
import { serverMetadata, resourceMetadata } from "./metadata.ts";
import { register } from "./register.ts";
import { revoke } from "./revoke.ts";
import { token } from "./token.ts";

/** The service as an authorization server for clients of MCP. Its page for people is `/oauth/authorize`. */
export const mcpOAuthEndpoints: readonly Endpoint[] = [
  ...resourceMetadata,
  serverMetadata,
  register,
  token,
  revoke,
];
