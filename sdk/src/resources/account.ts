import type { Request } from "../http/request.ts";
import type { Body, CallOptions, Query } from "../http/route.ts";

/** The person who calls. */
export function account(request: Request) {
  return {
    get: (options?: CallOptions) => request("GET", "/api/users/me", options),
    update: (body: Body<"PATCH /api/users/me">, options?: CallOptions) =>
      request("PATCH", "/api/users/me", { ...options, body }),
  };
}

/** Where a person is signed in. */
export function sessions(request: Request) {
  return {
    list: (options?: CallOptions) => request("GET", "/api/auth/sessions", options),
    end: (session: string, options?: CallOptions) =>
      request("DELETE", "/api/auth/sessions/{session}", { ...options, path: { session } }),
    /** Ends all but the caller's own. */
    endOthers: (options?: CallOptions) => request("DELETE", "/api/auth/sessions", options),
  };
}

/** Credits, and what they were spent on. */
export function usage(request: Request) {
  return {
    get: (query?: Query<"GET /api/billing/usage">, options?: CallOptions) =>
      request("GET", "/api/billing/usage", { ...options, query }),
    logs: (query?: Query<"GET /api/billing/usage/logs">, options?: CallOptions) =>
      request("GET", "/api/billing/usage/logs", { ...options, query }),
    credits: (options?: CallOptions) => request("GET", "/api/billing/credits", options),
  };
}
