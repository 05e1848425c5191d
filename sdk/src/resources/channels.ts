import type { ChannelMessage } from "../generated/types.gen.ts";
import type { Request } from "../http/request.ts";
import type { Body, CallOptions } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import { byOffset } from "./pages.ts";

/** Messaging platforms that reach the agent. */
export function channels(request: Request, transport: Transport) {
  return {
    create: (body: Body<"POST /api/channels">, options?: CallOptions) =>
      request("POST", "/api/channels", { ...options, body }),
    list: (options?: CallOptions) => request("GET", "/api/channels", options),
    get: (channel: string, options?: CallOptions) =>
      request("GET", "/api/channels/{channel}", { ...options, path: { channel } }),
    update: (channel: string, body: Body<"PATCH /api/channels/{channel}">, options?: CallOptions) =>
      request("PATCH", "/api/channels/{channel}", { ...options, path: { channel }, body }),
    delete: (channel: string, options?: CallOptions) =>
      request("DELETE", "/api/channels/{channel}", { ...options, path: { channel } }),
    /** Sends a message of the caller's wording, to see that it arrives. */
    test: (channel: string, body: Body<"POST /api/channels/{channel}/test">, options?: CallOptions) =>
      request("POST", "/api/channels/{channel}/test", { ...options, path: { channel }, body }),
    /** Iterates over its messages, newest first. */
    messages: (channel: string, options?: CallOptions) =>
      byOffset<ChannelMessage>(transport, {
        ...options,
        template: "/api/channels/{channel}/messages",
        path: { channel },
      }),
    /** Links the caller to the platform's account that was told this code. */
    pair: (body: Body<"POST /api/gateway/pair/verify">, options?: CallOptions) =>
      request("POST", "/api/gateway/pair/verify", { ...options, body }),
    /** The platforms' accounts that are linked to the caller. */
    identities: (options?: CallOptions) => request("GET", "/api/gateway/identities", options),
    unlink: (identity: string, options?: CallOptions) =>
      request("DELETE", "/api/gateway/identities/{identity}", { ...options, path: { identity } }),
  };
}
