import type { ApiKey } from "../generated/types.gen.ts";
import type { Request } from "../http/request.ts";
import type { Body, CallOptions, Query } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import { byCursor } from "./pages.ts";

/** API keys. Only a person makes them. */
export function keys(request: Request, transport: Transport) {
  return {
    /** Creates a key. This answer alone has the key and the secret of its callbacks. */
    create: (body: Body<"POST /api/external-api-keys">, options?: CallOptions) =>
      request("POST", "/api/external-api-keys", { ...options, body }),
    list: (query?: Query<"GET /api/external-api-keys">, options?: CallOptions) =>
      request("GET", "/api/external-api-keys", { ...options, query }),
    /** Iterates over all keys, also revoked ones. */
    all: (options?: CallOptions) =>
      byCursor<ApiKey>(transport, { ...options, template: "/api/external-api-keys" }),
    /** The permissions that the caller may give to a key. */
    scopes: (options?: CallOptions) => request("GET", "/api/external-api-keys/scopes", options),
    /**
     * Makes a new secret for the key's callbacks, which this answer alone has. For 24 hours they are signed with the previous
     * one as well.
     */
    rotateSecret: (key: string, options?: CallOptions) =>
      request("POST", "/api/external-api-keys/{key}/rotate-secret", { ...options, path: { key } }),
    revoke: (key: string, options?: CallOptions) =>
      request("DELETE", "/api/external-api-keys/{key}", { ...options, path: { key } }),
  };
}
