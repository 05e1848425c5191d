import type { Request } from "../http/request.ts";
import type { Body, CallOptions } from "../http/route.ts";

/** Agents: who works on a message. */
export function agents(request: Request) {
  return {
    list: (options?: CallOptions) => request("GET", "/api/agents", options),
    create: (body: Body<"POST /api/agents">, options?: CallOptions) =>
      request("POST", "/api/agents", { ...options, body }),
    get: (agent: string, options?: CallOptions) =>
      request("GET", "/api/agents/{agent}", { ...options, path: { agent } }),
    update: (agent: string, body: Body<"PATCH /api/agents/{agent}">, options?: CallOptions) =>
      request("PATCH", "/api/agents/{agent}", { ...options, path: { agent }, body }),
    delete: (agent: string, options?: CallOptions) =>
      request("DELETE", "/api/agents/{agent}", { ...options, path: { agent } }),
  };
}
