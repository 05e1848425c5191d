import type { Member } from "../generated/types.gen.ts";
import type { Request } from "../http/request.ts";
import type { Body, CallOptions } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import { byCursor } from "./pages.ts";

/** Teams and their members. */
export function teams(request: Request, transport: Transport) {
  return {
    list: (options?: CallOptions) => request("GET", "/api/teams", options),
    create: (body: Body<"POST /api/teams">, options?: CallOptions) =>
      request("POST", "/api/teams", { ...options, body }),
    get: (team: string, options?: CallOptions) =>
      request("GET", "/api/teams/{team}", { ...options, path: { team } }),
    /** Iterates over its members. */
    members: (team: string, options?: CallOptions) =>
      byCursor<Member>(transport, { ...options, template: "/api/teams/{team}/members", path: { team } }),
    invite: (team: string, body: Body<"POST /api/teams/{team}/members/invite">, options?: CallOptions) =>
      request("POST", "/api/teams/{team}/members/invite", { ...options, path: { team }, body }),
  };
}
